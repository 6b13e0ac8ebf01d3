import { observeStatements } from '@inferboard/db/connection/observe-statements';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../app.ts';
import { createRateLimits } from '../http/rate-limits.ts';
import { useTestApp } from '../testing/index.ts';
import { serve } from '../testing/serve.ts';
import { createResponseCache } from './response-cache.ts';
import { serveCached } from './serve-cached.ts';

const app = useTestApp({ sampleData: true, reads: 1000 });
let server: Awaited<ReturnType<typeof serve>>;
let key = '';
let statements = 0;
beforeAll(async () => {
  key = await app.createAccount('reader');
  server = await serve(createApp(app.deps), serveCached(app.deps));
  observeStatements(() => {
    statements += 1;
    return () => {};
  });
});
afterAll(() => server.close());

const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${server.url}${path}`, { headers: { 'accept-encoding': 'identity', ...headers }, method });

const state = () => {
  if (app.deps.responseCache === null) throw new Error('the test app has no response cache');
  return app.deps.responseCache.state;
};

/** Number of statements that some work sends, except those for the data version, which are counted at the caller. */
async function counted(work: () => Promise<unknown>): Promise<number> {
  const sent = () => statements + state().versionReads;
  const before = sent();
  await work();
  return sent() - before;
}

/** All headers except those specific to one request or its time. */
const headersOf = ({ headers }: Response) =>
  Object.fromEntries(
    [...headers].filter(([name]) => !['x-request-id', 'ratelimit', 'date', 'connection', 'keep-alive'].includes(name)),
  );

describe('a cached response', () => {
  it('needs one small statement, also with a matching ETag', async () => {
    const path = '/v1/leaderboard?limit=7';
    const first = await ask(path);
    const etag = first.headers.get('etag') ?? '';
    const text = await first.text();
    expect(await counted(async () => expect(await (await ask(path)).text()).toBe(text))).toBe(1);
    for (const _ of [1, 2])
      expect(await counted(async () => expect((await ask(path, { 'if-none-match': etag })).status).toBe(304))).toBe(1);
    expect(await counted(async () => expect((await ask(path, { 'if-none-match': '"other"' })).status).toBe(200))).toBe(
      1,
    );
  });

  it('is sent unchanged, in every variant', async () => {
    const paths = [
      '/v1/leaderboard',
      '/v1/catalogue/gpus',
      '/feed.xml',
      '/openapi.json',
      '/docs',
      '/v1/systems?limit=1',
    ];
    for (const path of paths) {
      for (const coding of ['identity', 'gzip', 'br', 'gzip;q=0.5, br;q=0.1', '*']) {
        const seen: { status: number; headers: object; text: string }[] = [];
        for (let turn = 0; turn < 3; turn += 1) {
          const response = await ask(path, { 'accept-encoding': coding });
          seen.push({ status: response.status, headers: headersOf(response), text: await response.text() });
        }
        expect(seen[0]?.status).toBe(200);
        expect(seen[1]).toEqual(seen[0]);
        expect(seen[2]).toEqual(seen[0]);
        const etag = (await ask(path, { 'accept-encoding': coding })).headers.get('etag') ?? '';
        const known: object[] = [];
        for (let turn = 0; turn < 3; turn += 1) {
          const response = await ask(path, { 'accept-encoding': coding, 'if-none-match': etag });
          known.push({ status: response.status, headers: headersOf(response), text: await response.text() });
        }
        expect(known[0]).toMatchObject({ status: 304, text: '' });
        expect(known[1]).toEqual(known[0]);
        expect(known[2]).toEqual(known[0]);
      }
    }
  });

  it('is also used for HEAD', async () => {
    const path = '/v1/leaderboard?limit=3';
    const get = await ask(path);
    await get.text();
    for (const _ of [1, 2]) {
      const head = await ask(path, {}, 'HEAD');
      expect(await head.text()).toBe('');
      expect(headersOf(head)).toEqual(headersOf(get));
    }
  });

  it('has a separate request id, quota and metrics for each request', async () => {
    const path = '/v1/leaderboard?limit=4';
    const [first, second, third] = [await ask(path), await ask(path), await ask(path, { 'x-request-id': 'mine' })];
    const ids = [first, second, third].map(({ headers }) => headers.get('x-request-id'));
    expect(new Set(ids).size).toBe(3);
    expect(ids[2]).toBe('mine');
    const left = [first, second, third].map(({ headers }) =>
      Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]),
    );
    expect(left[1]).toBe((left[0] ?? 0) - 5);
    expect(left[2]).toBe((left[1] ?? 0) - 5);
    const figure = async () => {
      const text = await (await ask('/metrics')).text();
      return Number(/http_requests_total\{method="GET",route="\/v1\/leaderboard",status="2xx"\} (\d+)/.exec(text)?.[1]);
    };
    const before = await figure();
    await ask(path);
    expect(await figure()).toBe(before + 1);
  });

  it('does not depend on the host or the parameter order', async () => {
    const [one, two] = ['/v1/leaderboard?limit=5&gpu=h100', '/v1/leaderboard?gpu=h100&limit=5'];
    const text = await (await ask(one)).text();
    expect(await counted(async () => expect(await (await ask(two)).text()).toBe(text))).toBe(1);
    const bare = createApp({ ...app.deps, responseCache: null });
    for (const path of ['/v1/leaderboard', '/v1/systems?limit=2', '/v1/best', '/feed.xml', '/v1/changes?limit=1']) {
      const [a, b] = await Promise.all(
        ['http://one.example', 'http://two.example:81'].map(async (host) =>
          (await bare.request(`${host}${path}`)).text(),
        ),
      );
      expect(a).toBe(b);
    }
  });

  it('can be cached by a proxy for one second, unless the request had a key', async () => {
    const policy = async (path: string, headers = {}) => (await ask(path, headers)).headers.get('cache-control');
    for (const _ of [1, 2]) {
      expect(await policy('/v1/systems')).toBe('public, max-age=0, s-maxage=1, must-revalidate');
      const keyed = await ask('/v1/systems', { authorization: `Bearer ${key}` });
      expect(keyed.headers.get('cache-control')).toBe('public, max-age=0, must-revalidate');
      expect(keyed.headers.get('vary')).toMatch(/authorization/i);
    }
  });
});

it('excludes error responses', async () => {
  const before = state().entries;
  for (const path of ['/v1/leaderboard?nope=1', '/v1/systems/sys_000000000000000000000000', '/v1/catalogue/nope'])
    expect((await ask(path)).status).toBeGreaterThanOrEqual(400);
  expect(state().entries).toBe(before);
});

it('is not sent to requests with an unknown key or without remaining quota', async () => {
  await ask('/v1/leaderboard?limit=6');
  expect((await ask('/v1/leaderboard?limit=6', { authorization: 'Bearer ib_nobody' })).status).toBe(401);
  const rateLimits = createRateLimits({ reads: 10, writes: null, trustedProxies: [], now: () => 0 });
  const narrow = { ...app.deps, rateLimits };
  const small = await serve(createApp(narrow), serveCached(narrow));
  const statuses: number[] = [];
  for (let turn = 0; turn < 4; turn += 1) statuses.push((await fetch(`${small.url}/v1/leaderboard`)).status);
  await small.close();
  expect(statuses).toEqual([200, 200, 429, 429]);
});

it('is built once for concurrent requests', async () => {
  const alone = await counted(async () => (await ask('/v1/leaderboard?limit=11')).text());
  const before = state();
  const together = await counted(() =>
    Promise.all(Array.from({ length: 40 }, async () => (await ask('/v1/leaderboard?limit=12')).text())),
  );
  const after = state();
  expect(after.misses - before.misses).toBe(1);
  expect(after.shared + after.hits - before.shared - before.hits).toBe(39);
  // The cost of building it. How many requests share a version depends on when they arrive: see shared-read.test.ts.
  expect(together - (after.versionReads - before.versionReads)).toBeLessThan(2 * alone);
});

it('stays within the memory limit, and responses that are too large are still sent', async () => {
  const bytesMax = 300_000;
  const responseCache = createResponseCache({ primary: app.deps.database, replica: null, bytesMax });
  const narrow = createApp({ ...app.deps, responseCache, rateLimits: { ...app.deps.rateLimits, reads: null } });
  const wide = createApp({ ...app.deps, responseCache: null, rateLimits: { ...app.deps.rateLimits, reads: null } });
  let most = 0;
  for (let limit = 1; limit <= 40; limit += 1) {
    for (const coding of ['identity', 'br']) {
      const headers = { 'accept-encoding': coding };
      const path = `/v1/results?limit=${limit}`;
      const [a, b] = await Promise.all([narrow.request(path, { headers }), wide.request(path, { headers })]);
      expect(Buffer.from(await a.arrayBuffer()).equals(Buffer.from(await b.arrayBuffer()))).toBe(true);
      most = Math.max(most, responseCache.state.bytes);
    }
  }
  expect(most).toBeGreaterThan(bytesMax / 4);
  expect(most).toBeLessThanOrEqual(bytesMax);
  expect((await (await narrow.request('/v1/results?limit=200')).arrayBuffer()).byteLength).toBeGreaterThan(
    bytesMax / 4,
  );
  expect(responseCache.state.bytes).toBeLessThanOrEqual(bytesMax);
});
