import { request } from 'node:http';
import { createDatabase } from '@inferboard/db/connection/client';
import type { LogLevel, RequestLine } from '@inferboard/telemetry/log';
import { noTracing } from '@inferboard/telemetry/tracing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createApp } from '../app.ts';
import { createRateLimits } from '../http/rate-limits.ts';
import { createMetrics } from '../metrics/metrics.ts';
import { createSchemeReader } from '../middleware/client-scheme.ts';
import { siteKeyHeader } from '../site/site-key.ts';
import { listen } from '../startup/listen.ts';
import { adminKey, useTestApp } from '../testing/index.ts';
import { serve } from '../testing/serve.ts';
import { createResponseCache } from './response-cache.ts';
import { serveCached } from './serve-cached.ts';

const app = useTestApp({ sampleData: true });
const lines: [LogLevel, RequestLine][] = [];
let framework: Awaited<ReturnType<typeof serve>>;
let caching: Awaited<ReturnType<typeof serve>>;
/** Number of requests that reached the framework. */
let reached = 0;

beforeAll(async () => {
  const trustedProxies = ['127.0.0.0/8'];
  const deps = {
    ...app.deps,
    rateLimits: createRateLimits({ reads: 1000, writes: null, trustedProxies, now: () => 0 }),
    isEncrypted: createSchemeReader({ trustedProxies, publicUrl: 'http://inferboard.test' }),
    metrics: createMetrics(null),
    telemetry: {
      tracing: noTracing,
      logRequest: (level: LogLevel, line: RequestLine) => void lines.push([level, line]),
    },
  };
  const made = createApp(deps);
  const counting: Parameters<typeof serve>[0] = {
    fetch: (asked, environment) => {
      reached += 1;
      return made.fetch(asked, environment as object);
    },
  };
  framework = await serve(made);
  caching = await serve(counting, serveCached(deps));
});
afterAll(() => Promise.all([framework.close(), caching.close()]));

interface Seen {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/** Sends a request with Node's own client, which adds no headers and does not change the URL. */
function ask(base: string, path: string, headers: Record<string, string> = {}, method = 'GET') {
  return new Promise<Seen>((resolve, reject) => {
    const { hostname, port } = new URL(base);
    const sent = request({ hostname, port, path, method, headers }, async (response) => {
      const text = (await response.setEncoding('latin1').toArray()).join('');
      resolve({ status: response.statusCode ?? 0, headers: response.headers as Record<string, string>, text });
    });
    sent.once('error', reject);
    sent.end();
  });
}

const board = '/v1/leaderboard?limit=3';

describe('a response in the cache', () => {
  let etag = '';
  beforeEach(async () => {
    for (const coding of ['identity', 'br', 'gzip']) {
      etag = (await ask(caching.url, board, { 'accept-encoding': coding })).headers.etag ?? '';
      await ask(caching.url, board, { 'accept-encoding': coding, 'if-none-match': etag });
    }
    reached = 0;
    lines.length = 0;
  });

  it.each<[string, Record<string, string>, string?]>([
    ['uncompressed', {}],
    ['compressed', { 'accept-encoding': 'gzip, br' }],
    ['for HEAD', { 'accept-encoding': 'br' }, 'HEAD'],
    ['for a page of another origin', { origin: 'https://elsewhere.example' }],
    ['through a proxy, over HTTPS', { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' }],
    ['for a request with an id', { 'x-request-id': 'mine' }],
    ['for a request with a range', { range: 'bytes=0-3' }],
  ])('is sent %s as by the framework, but without reaching it', async (_, headers, method = 'GET') => {
    const expected = await ask(framework.url, board, headers, method);
    const seen = await ask(caching.url, board, headers, method);
    expect(reached).toBe(0);
    const without = ({ headers: { date, ratelimit, 'x-request-id': id, ...others }, ...rest }: Seen) => ({
      ...{ ...rest, others, id: id === 'mine' ? id : id?.length },
      quota: /^"default";r=(\d+);t=\d+$/.exec(ratelimit ?? '')?.length,
    });
    expect(without(seen)).toEqual(without(expected));
    expect(expected.headers['strict-transport-security'] !== undefined).toBe('x-forwarded-proto' in headers);
    const [[level, line] = [], [sameLevel, sameLine] = []] = lines;
    const own = { request_id: expect.any(String), trace_id: expect.any(String), duration_ms: expect.any(Number) };
    expect([sameLevel, sameLine]).toEqual([level, { ...line, ...own }]);
    expect(line).toMatchObject({ method: 'GET', route: '/v1/leaderboard', status: 200 });
    expect(sameLine?.request_id).toBe(seen.headers['x-request-id']);
  });

  it('is replaced by 304 for clients that have it', async () => {
    const seen = await ask(caching.url, board, { 'accept-encoding': 'gzip', 'if-none-match': etag });
    expect([seen.status, seen.text, seen.headers.etag, reached]).toEqual([304, '', etag, 0]);
    expect(seen.headers['content-length']).toBeUndefined();
  });

  it('is counted for the client address from a proxy', async () => {
    const left = async (address: string) => {
      const { headers } = await ask(caching.url, board, { 'x-forwarded-for': address });
      return Number(/r=(\d+)/.exec(headers.ratelimit ?? '')?.[1]);
    };
    const [one, other, oneAgain] = [await left('203.0.113.50'), await left('203.0.113.51'), await left('203.0.113.50')];
    expect([other, oneAgain, reached]).toEqual([one, one - 5, 0]);
  });

  it('belongs to the trace of its client', async () => {
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    await ask(caching.url, board, { traceparent: `00-${traceId}-b7ad6b7169203331-01` });
    expect([lines[0]?.[1].trace_id, reached]).toEqual([traceId, 0]);
  });

  it.each<[string, string, Record<string, string>, number, string?]>([
    ['a key', board, { authorization: `Bearer ${adminKey}` }, 200],
    ['an unknown key', board, { authorization: 'Bearer ib_nobody' }, 401],
    ['the key of a site', board, { [siteKeyHeader]: 'of a site' }, 200],
    ['another method', board, {}, 405, 'DELETE'],
    ['an equivalent URL in another spelling', '/v1/./leaderboard?limit=3', {}, 200],
    ['an invalid URL', 'http://[', {}, 400],
    ['an invalid host', board, { host: 'a b' }, 400],
    ['a URL without a cached response', '/v1/leaderboard?limit=17', {}, 200],
  ])('is not sent before the framework handles %s', async (_, path, headers, status, method = 'GET') => {
    const before = reached;
    expect((await ask(caching.url, path, headers, method)).status).toBe(status);
    expect(reached - before).toBe(status === 400 ? 0 : 1);
  });
});

it('a stopping process closes the connections of its last responses', async () => {
  const options = { host: '127.0.0.1', port: 0, publicUrl: 'http://inferboard.test', isDraining: () => true };
  const stopping = await listen(createApp(app.deps).fetch, { ...options, serveCached: serveCached(app.deps) });
  const url = `http://127.0.0.1:${stopping.port}`;
  const before = app.deps.responseCache?.state.hits ?? 0;
  for (const _ of [1, 2])
    expect((await ask(url, '/v1/systems?limit=1', { connection: 'keep-alive' })).headers.connection).toBe('close');
  expect(app.deps.responseCache?.state.hits).toBe(before + 1);
  await stopping.close();
});

it('sends no cached responses while the database is unavailable', async () => {
  const database = createDatabase(app.databaseUrl);
  const responseCache = createResponseCache({ primary: database, replica: null, bytesMax: 1e6 });
  const deps = { ...app.deps, database, responseCache, log: () => {} };
  const served = await serve(createApp(deps), serveCached(deps));
  expect((await ask(served.url, board)).status).toBe(200);
  expect((await ask(served.url, board)).status).toBe(200);
  expect(responseCache.state.hits).toBe(1);
  await database.close();
  expect((await ask(served.url, board)).status).toBeGreaterThanOrEqual(500);
  await served.close();
});
