import { describe, expect, it } from 'vitest';
import { expectRule, nativeReport, problemOf } from '../support/hostile.ts';
import { useHostileApp } from './setup.ts';

// For any input: no 5xx, a problem document with the error for every rejection, and no silently ignored input.

const { app, look, submit } = useHostileApp();

describe('paths', () => {
  const ids = [
    '%00',
    'a%00b',
    '%2F',
    '..%2f..%2fetc%2fpasswd',
    '%E0%A4%A',
    '%ff',
    '%F0%9F%92%A9',
    'x'.repeat(10_000),
    "'%20or%201%3D1--",
    'sub_%0d%0aSet-Cookie%3Aa%3Db',
    '__proto__',
    '%22%3E%3Cscript%3E',
  ];
  const places = ['/v1/submissions/ID', '/v1/submissions/ID/artifact', '/v1/systems/ID', '/v1/ID'];
  it.each(places.flatMap((place) => ids.map((id) => [place, id] as const)))(
    '%s with %s returns 404',
    async (place, id) => {
      const seen = await look(place.replace('ID', id));
      expectRule(seen);
      expect(seen.status).toBe(404);
      expect(seen.headers.get('set-cookie')).toBeNull();
    },
  );

  it.each(['%00', 'nope', '__proto__', 'constructor'])(
    'an invalid catalogue %s returns an error about the path',
    async (kind) => {
      const seen = await look(`/v1/catalogue/${kind}`);
      expectRule(seen);
      expect([404, 422]).toContain(seen.status);
      expect(problemOf(seen).detail).not.toContain('body');
    },
  );
});

describe('methods', () => {
  const paths = [
    '/v1/results',
    '/v1/accounts',
    '/v1/catalogue/gpus',
    '/healthz',
    '/openapi.json',
    '/docs',
    '/docs/errors',
  ];
  it.each(paths.flatMap((path) => ['PATCH', 'PUT', 'DELETE', 'PROPFIND'].map((method) => [method, path] as const)))(
    '%s %s returns 405 with the allowed methods',
    async (method, path) => {
      const seen = await look(path, { method });
      expectRule(seen);
      expect(seen.status).toBe(405);
      expect(seen.headers.get('allow')).toMatch(/GET|POST/);
    },
  );

  const compared = ['etag', 'content-type', 'content-encoding', 'vary', 'cache-control'];
  it.each(
    ['/v1/leaderboard', '/v1/results', '/v1/systems', '/v1/catalogue/gpus', '/openapi.json'].flatMap((path) =>
      ['identity', 'gzip'].map((encoding) => [path, encoding] as const),
    ),
  )('HEAD %s (%s) has the headers of GET', async (path, encoding) => {
    const headers = { 'accept-encoding': encoding };
    const get = await app.request(path, { headers });
    const head = await app.request(path, { method: 'HEAD', headers });
    expect(await head.text()).toBe('');
    expect(head.status).toBe(get.status);
    for (const name of compared) expect(head.headers.get(name), name).toBe(get.headers.get(name));
  });

  it.each([
    '/v1/leaderboard',
    '/v1/results',
    '/v1/systems',
    '/v1/submissions',
    '/v1/catalogue/metrics',
    '/openapi.json',
  ])('GET %s has a strong ETag and returns 304', async (path) => {
    const etag = (await look(path)).headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[^"]+"$/);
    for (const sent of [etag, `"x", ${etag}`, `W/${etag}`, '*']) {
      const again = await look(path, { headers: { 'if-none-match': sent } });
      expect(again.status, sent).toBe(304);
      expect(again.text).toBe('');
    }
    expect((await look(path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  });

  it('never returns 304 to a POST', async () => {
    const seen = await submit(nativeReport(), 'dry_run=true', { 'if-none-match': '*' });
    expect(seen.status).toBe(200);
  });
});
