import { createHash } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { readRange } from './middleware/ranges.ts';
import { chooseCoding } from './middleware/represent.ts';
import { adminKey, answerOf, useTestApp } from './testing/index.ts';

const app = useTestApp();
const line = (n: number) =>
  JSON.stringify({
    run_name: 'run1',
    batch_size: 1,
    input_len: 128,
    output_len: 64,
    latency: 0.51,
    output_throughput: 138.03 + n / 1e6,
    overall_throughput: 377.82,
  });
const facts = { model: 'Llama-3.1-8B-Instruct', gpu: 'h100-sxm', quantization: 'bf16' };
let count = 0;
const submitNew = async (key = adminKey, more = {}) =>
  (await answerOf(await app.submit(line(count++), { ...facts, ...more }, key))).id;

let id = '';
beforeAll(async () => {
  for (let i = 0; i < 5; i++) id = await submitNew();
});

const get = (path: string, headers: Record<string, string> = {}) => app.request(path, { headers });
const tagOf = async (path: string, headers: Record<string, string> = {}) =>
  (await get(path, headers)).headers.get('etag') ?? '';

describe('a tag', () => {
  const paths = () => [`/v1/submissions/${id}`, '/v1/submissions', '/v1/results', '/v1/systems', '/v1/catalogue/gpus'];

  it('is strong: another one for other bytes, the same for the same', async () => {
    // One system alone is too short to be packed.
    for (const path of paths().filter((known) => known !== '/v1/systems')) {
      const codings = ['identity', 'gzip', 'br'];
      const answers = await Promise.all(codings.map((coding) => get(path, { 'accept-encoding': coding })));
      const [plain, gzipped, brotli] = await Promise.all(answers.map(async (a) => Buffer.from(await a.arrayBuffer())));
      expect(answers.map(({ headers }) => headers.get('content-encoding'))).toEqual([null, 'gzip', 'br']);
      expect(gunzipSync(gzipped ?? '')).toEqual(plain);
      expect(brotliDecompressSync(brotli ?? '')).toEqual(plain);
      const tags = answers.map(({ headers }) => headers.get('etag') ?? '');
      expect(new Set(tags).size).toBe(3);
      for (const [index, tag] of tags.entries()) {
        expect(tag).toMatch(/^"[\w-]+"$/);
        expect(await tagOf(path, { 'accept-encoding': codings[index] ?? '' })).toBe(tag);
      }
      for (const { headers } of answers) {
        expect(headers.get('vary')).toMatch(/accept-encoding/i);
        expect(headers.get('cache-control')).toBe('public, max-age=0, must-revalidate');
      }
    }
  });

  it('gets 304 with the headers that 200 would have, and no body', async () => {
    for (const path of paths()) {
      for (const coding of ['identity', 'gzip']) {
        const headers = { 'accept-encoding': coding };
        const full = await get(path, headers);
        const tag = full.headers.get('etag') ?? '';
        for (const sent of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
          const again = await get(path, { ...headers, 'if-none-match': sent });
          expect(again.status, `${path} ${sent}`).toBe(304);
          expect(await again.text()).toBe('');
          for (const name of ['etag', 'vary', 'cache-control', 'access-control-allow-origin'])
            expect(again.headers.get(name), name).toBe(full.headers.get(name));
          expect(again.headers.get('x-request-id')).toBeTruthy();
          for (const name of ['content-type', 'content-length', 'content-encoding'])
            expect(again.headers.get(name), name).toBeNull();
        }
      }
      expect((await get(path, { 'if-none-match': '"other"' })).status).toBe(200);
      expect((await get(path, { 'if-none-match': 'junk' })).status).toBe(200);
    }
  });

  it("is HEAD's too, with the length of what GET would send", async () => {
    for (const path of paths()) {
      for (const coding of ['identity', 'gzip', 'br']) {
        const headers = { 'accept-encoding': coding };
        const full = await get(path, headers);
        const head = await app.request(path, { method: 'HEAD', headers });
        expect(await head.text()).toBe('');
        expect(head.headers.get('content-length')).toBe(String((await full.arrayBuffer()).byteLength));
        for (const name of ['etag', 'vary', 'cache-control', 'content-type', 'content-encoding'])
          expect(head.headers.get(name), name).toBe(full.headers.get(name));
      }
    }
  });

  it('changes when the resource does', async () => {
    const own = await submitNew();
    const before = await tagOf(`/v1/submissions/${own}`);
    await change(own, 'retract', { reason: 'a mistake' });
    expect(await tagOf(`/v1/submissions/${own}`)).not.toBe(before);
  });
});

it.each([
  [undefined, null],
  ['', null],
  ['identity', null],
  ['gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip;q=1.0, br;q=0.5', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['gzip;q=0', null],
  ['*', 'br'],
  ['*;q=0.1, br;q=0', 'gzip'],
  ['*;q=0', null],
  ['identity, gzip;q=0.5', null],
  ['deflate', null],
  ['gzip;q=junk', null],
])('of Accept-Encoding: %s the coding is %s', (header, coding) => {
  expect(chooseCoding(header)).toBe(coding);
});

async function change(
  own: string,
  action: string,
  body: unknown,
  headers: Record<string, string> = {},
  key = adminKey,
) {
  return app.request(`/v1/submissions/${own}/${action}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

describe('If-Match', () => {
  const reason = { reason: 'a mistake' };
  const expectChanged = async (response: Response) => {
    expect(response.status).toBe(412);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(await response.json()).toMatchObject({ code: 'precondition_failed', status: 412 });
  };

  it('lets a change through while the resource is as it was read, in whatever coding', async () => {
    for (const coding of ['identity', 'gzip', 'br']) {
      const own = await submitNew();
      const tag = await tagOf(`/v1/submissions/${own}`, { 'accept-encoding': coding });
      expect((await change(own, 'retract', reason, { 'if-match': `"other", ${tag}` })).status).toBe(200);
    }
    const own = await submitNew();
    expect((await change(own, 'retract', reason, { 'if-match': '*' })).status).toBe(200);
  });

  it('refuses it else, and changes nothing; weak tags never match', async () => {
    const own = await submitNew();
    const tag = await tagOf(`/v1/submissions/${own}`);
    for (const sent of ['"other"', `W/${tag}`, 'junk', ''])
      await expectChanged(await change(own, 'retract', reason, { 'if-match': sent }));
    expect(await tagOf(`/v1/submissions/${own}`)).toBe(tag);
  });

  it('keeps a review off what another admin decided meanwhile', async () => {
    const held = await submitNew(adminKey, { gpu: 'Frobnicator 1' });
    const tag = await tagOf(`/v1/submissions/${held}`);
    const keep = (note: string, headers = {}) => change(held, 'review', { decision: 'keep', note }, headers);
    expect((await keep('first', { 'if-match': tag })).status).toBe(200);
    await expectChanged(await keep('second', { 'if-match': tag }));
    expect((await keep('third')).status).toBe(200);
    const now = await tagOf(`/v1/submissions/${held}`);
    const both = await Promise.all(['fourth', 'fifth'].map((note) => keep(note, { 'if-match': now })));
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 412]);
  });

  it('says nothing to those who may not, or of what is not there', async () => {
    const own = await submitNew();
    const stranger = await app.createAccount(crypto.randomUUID());
    expect((await change(own, 'retract', reason, { 'if-match': '"x"' }, stranger)).status).toBe(404);
    expect((await change('sub_0', 'retract', reason, { 'if-match': '"x"' })).status).toBe(404);
  });

  it('guards the revocation of a key', async () => {
    const key = await app.createAccount('careful');
    const as = { authorization: `Bearer ${key}` };
    const made = await app.request('/v1/keys', {
      method: 'POST',
      headers: { ...as, 'content-type': 'application/json' },
      body: '{}',
    });
    const path = `/v1/keys/${(await answerOf(made)).id}`;
    const read = await get(path, as);
    expect(read.headers.get('cache-control')).toBe('private, no-cache');
    expect(read.headers.get('vary')).toMatch(/authorization/i);
    expect(await read.json()).toMatchObject({ id: path.slice(9), revoked_at: null });
    const tag = read.headers.get('etag') ?? '';
    const revoke = (headers: Record<string, string>) =>
      app.request(path, { method: 'DELETE', headers: { ...as, ...headers } });
    await expectChanged(await revoke({ 'if-match': '"other"' }));
    await expectChanged(await revoke({ 'if-match': `W/${tag}` }));
    expect((await revoke({ 'if-match': tag })).status).toBe(204);
    await expectChanged(await revoke({ 'if-match': tag }));
    expect((await revoke({})).status).toBe(404);
    const stranger = { authorization: `Bearer ${await app.createAccount('curious')}` };
    expect((await get(path, stranger)).status).toBe(404);
    expect((await get(path)).status).toBe(401);
    expect((await get(path, { authorization: `Bearer ${adminKey}` })).status).toBe(200);
  });
});

describe('an artifact', () => {
  const path = () => `/v1/submissions/${id}/artifact`;
  const digest = (bytes: Uint8Array) => `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`;
  const whole = async () => Buffer.from(await (await get(path())).arrayBuffer());

  it('never changes, and carries its digests', async () => {
    const response = await get(path(), { 'accept-encoding': 'gzip, br' });
    const bytes = Buffer.from(await response.arrayBuffer());
    const { headers } = response;
    expect(headers.get('etag')).toBe(`"${createHash('sha256').update(bytes).digest('hex')}"`);
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable, no-transform');
    expect(headers.get('content-encoding')).toBeNull();
    expect(headers.get('accept-ranges')).toBe('bytes');
    expect(headers.get('content-length')).toBe(String(bytes.length));
    for (const name of ['repr-digest', 'content-digest']) expect(headers.get(name)).toBe(digest(bytes));
    const again = await get(path(), { 'if-none-match': headers.get('etag') ?? '', range: 'bytes=0-1' });
    expect(again.status).toBe(304);
  });

  it('is served in parts', async () => {
    const bytes = await whole();
    const size = bytes.length;
    const parts: [string, number, number][] = [
      ['bytes=0-9', 0, 9],
      ['bytes=5-', 5, size - 1],
      ['bytes=-5', size - 5, size - 1],
      ['bytes=0-99999999', 0, size - 1],
      ['bytes=-99999999', 0, size - 1],
    ];
    for (const [range, first, last] of parts) {
      const response = await get(path(), { range });
      expect(response.status, range).toBe(206);
      const part = Buffer.from(await response.arrayBuffer());
      expect(part).toEqual(bytes.subarray(first, last + 1));
      expect(response.headers.get('content-range')).toBe(`bytes ${first}-${last}/${size}`);
      expect(response.headers.get('content-length')).toBe(String(part.length));
      expect(response.headers.get('content-digest')).toBe(digest(part));
      expect(response.headers.get('repr-digest')).toBe(digest(bytes));
    }
  });

  it('is served whole where a part is not meant', async () => {
    const bytes = await whole();
    const tag = await tagOf(path());
    const asked: Record<string, string>[] = [
      { range: 'bytes=0-1,3-4' },
      { range: 'lines=0-1' },
      { range: 'bytes=9-5' },
      { range: 'bytes=-' },
      { range: 'bytes=0-1', 'if-range': '"other"' },
      { range: 'bytes=0-1', 'if-range': `W/${tag}` },
    ];
    for (const headers of asked) {
      const response = await get(path(), headers);
      expect(response.status).toBe(200);
      expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes);
    }
    expect((await get(path(), { range: 'bytes=0-1', 'if-range': tag })).status).toBe(206);
    const head = await app.request(path(), { method: 'HEAD', headers: { range: 'bytes=0-1' } });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes.length)]);
  });

  it('has no bytes behind its end', async () => {
    const { length } = await whole();
    for (const range of [`bytes=${length}-`, 'bytes=-0']) {
      const response = await get(path(), { range });
      expect(response.status).toBe(416);
      expect(response.headers.get('content-range')).toBe(`bytes */${length}`);
      for (const name of ['etag', 'content-disposition', 'repr-digest']) expect(response.headers.get(name)).toBeNull();
      for (const name of ['x-request-id', 'access-control-allow-origin'])
        expect(response.headers.get(name)).toBeTruthy();
      expect(await response.json()).toMatchObject({ code: 'range_not_satisfiable' });
    }
    expect(readRange('bytes=0-', 0)).toBe('none');
  });
});

describe('how long an answer may be kept', () => {
  it.each([
    ['/healthz', 'no-store'],
    ['/readyz', 'no-store'],
    ['/metrics', 'no-store'],
    ['/openapi.json', 'public, max-age=300, stale-while-revalidate=3600'],
    ['/llms.txt', 'public, max-age=300, stale-while-revalidate=3600'],
    ['/docs', 'public, max-age=300, stale-while-revalidate=3600'],
    ['/v1/leaderboard', 'public, max-age=0, must-revalidate'],
    ['/v1/results.csv', 'public, max-age=0, must-revalidate'],
    ['/v1/nope', 'no-store'],
    ['/v1/leaderboard?nope=1', 'no-store'],
    ['/v1/keys', 'no-store'],
    ['/nope', 'no-store'],
  ])('%s: %s', async (path, policy) => {
    expect((await get(path)).headers.get('cache-control')).toBe(policy);
  });

  it('a change: not at all', async () => {
    const response = await app.submit(line(count++), facts, adminKey);
    expect(response.status).toBe(201);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('etag')).toBeNull();
  });
});
