import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { chooseCoding } from '../response-cache/accept-encoding.ts';
import { useTestApp } from '../testing/index.ts';
import { useSubmissions } from '../testing/submissions.ts';

const app = useTestApp();
const { post, make, change, tagOf } = useSubmissions(app);
const get = (path: string, headers: Record<string, string> = {}) => app.request(path, { headers });

let id = '';
beforeAll(async () => {
  for (let i = 0; i < 5; i++) id = await make();
});

describe('an ETag', () => {
  const paths = () => [`/v1/submissions/${id}`, '/v1/submissions', '/v1/results', '/v1/systems', '/v1/catalogue/gpus'];

  it('is strong: different for different bytes, equal for equal bytes', async () => {
    // The response for one system is too short to be compressed.
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
        expect(headers.get('cache-control')).toBe('public, max-age=0, s-maxage=1, must-revalidate');
      }
    }
  });

  it('gets 304 with the headers of a 200 response, and no body', async () => {
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

  it('is the same for HEAD, with the Content-Length of GET', async () => {
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

  it('changes with the resource', async () => {
    const own = await make();
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
])('for Accept-Encoding: %s the encoding is %s', (header, coding) => {
  expect(chooseCoding(header)).toBe(coding);
});

describe('the Cache-Control header', () => {
  it.each([
    ['/healthz', 'no-store'],
    ['/readyz', 'no-store'],
    ['/metrics', 'no-store'],
    ['/openapi.json', 'public, max-age=300, stale-while-revalidate=3600'],
    ['/llms.txt', 'public, max-age=300, stale-while-revalidate=3600'],
    ['/docs', 'public, max-age=300, stale-while-revalidate=3600'],
    ['/v1/leaderboard', 'public, max-age=0, s-maxage=1, must-revalidate'],
    ['/v1/results.csv', 'public, max-age=0, must-revalidate'],
    ['/v1/nope', 'no-store'],
    ['/v1/leaderboard?nope=1', 'no-store'],
    ['/v1/keys', 'no-store'],
    ['/nope', 'no-store'],
  ])('of %s is %s', async (path, policy) => {
    expect((await get(path)).headers.get('cache-control')).toBe(policy);
  });

  it('of a write is no-store', async () => {
    const response = await post();
    expect(response.status).toBe(201);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('etag')).toBeNull();
  });
});
