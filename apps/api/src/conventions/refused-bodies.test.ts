import { brotliCompressSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { adminKey, useTestApp } from '../testing/index.ts';

const app = useTestApp();

async function refusalOf(path: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) {
  const response = await app.request(path, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json', ...headers },
    body,
  });
  const { code, detail, errors } = (await response.json()) as {
    code: string;
    detail: string;
    errors?: { code: string; message: string }[];
  };
  return { status: response.status, code, detail, errors: errors?.map((error) => [error.code, error.message]) };
}

test.each([
  ['[]', 'The body must be an object'],
  ['5', 'The body must be an object'],
  ['{"scopes": "submit"}', 'scopes must be a list'],
  ['{"scopes": ["submit"], "name": ["a"]}', 'name must be a string'],
])('a body with a value of the wrong type names the expected type: %s', async (body, message) => {
  expect(await refusalOf('/v1/keys', body)).toMatchObject({ status: 422, errors: [['value_invalid', message]] });
});

test('a compressed JSON body is rejected with the reason', async () => {
  expect(await refusalOf('/v1/keys', gzipSync('{}'), { 'content-encoding': 'gzip' })).toMatchObject({
    status: 422,
    errors: [['encoding_unsupported', 'The body has the Content-Encoding "gzip", which is not supported here.']],
  });
});

test.each(['br', 'deflate', 'gzip, br'])(
  'an artifact with the encoding %s is rejected with the reason',
  async (encoding) => {
    const bytes = brotliCompressSync('| model | test | t/s |');
    expect(await refusalOf('/v1/submissions', bytes, { 'content-encoding': encoding })).toMatchObject({
      ...{ status: 422, code: 'artifact_unreadable' },
      errors: [['encoding_unsupported', `The body has the Content-Encoding "${encoding}", which is not supported.`]],
    });
  },
);

test('an Authorization header of another scheme is rejected with the expected scheme', async () => {
  expect(await refusalOf('/v1/keys', '{}', { authorization: 'Basic YTpi' })).toMatchObject({
    ...{ status: 401, code: 'key_unknown' },
    detail: 'The Authorization header has no key. Send "Authorization: Bearer ib_...".',
  });
});
