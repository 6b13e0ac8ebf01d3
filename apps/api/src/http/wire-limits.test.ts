import { describe, expect, it } from 'vitest';
import { committedDocument } from '../document/committed.ts';
import { parseEnv, SettingsError } from '../startup/env.ts';
import { adminKey, useTestApp } from '../testing/index.ts';
import { costOf, readsDefault, writesDefault } from './rate-limits.ts';

const authorization = `Bearer ${adminKey}`;
const sampleLine = JSON.stringify({ batch_size: 1, input_len: 128, output_len: 64, latency: 0.51 });

/** Remaining quota by policy. */
function leftOf({ headers }: Response): Record<string, number> {
  const items = [...(headers.get('ratelimit') ?? '').matchAll(/"(\w+)";r=(\d+);t=\d+/g)];
  return Object.fromEntries(items.map(([, name = '', left]) => [name, Number(left)]));
}

describe('reads', () => {
  const app = useTestApp({ reads: 100, trustedProxies: ['10.0.0.0/8'] });

  it('are counted by address and cost, and every response has the limit', async () => {
    const from = '198.51.100.1';
    const paths: [string, number, number][] = [
      ['/v1/submissions/sub_0', 404, 99],
      ['/v1/results', 200, 97],
      ['/v1/leaderboard?nope=1', 422, 92],
      ['/v1/results.csv', 200, 42],
      ['/v1/nope', 404, 41],
    ];
    for (const [path, status, left] of paths) {
      const response = await app.request(path, {}, from);
      expect(response.status, path).toBe(status);
      expect(response.headers.get('ratelimit-policy'), path).toBe('"default";q=100;w=60');
      expect(leftOf(response), path).toEqual({ default: left });
    }
    const etag = (await app.request('/v1/systems', {}, from)).headers.get('etag') ?? '';
    const unchanged = await app.request('/v1/systems', { headers: { 'if-none-match': etag } }, from);
    expect(unchanged.status).toBe(304);
    expect(leftOf(unchanged)).toEqual({ default: 37 });
    expect(leftOf(await app.request('/v1/systems', { method: 'HEAD' }, from))).toEqual({ default: 35 });
    expect(leftOf(await app.request('/v1/systems', {}, '198.51.100.2'))).toEqual({ default: 98 });
  });

  it('return 429 with Retry-After above the limit', async () => {
    const ask = () => app.request('/v1/results.csv', {}, '198.51.100.3');
    expect([(await ask()).status, (await ask()).status]).toEqual([200, 200]);
    const refused = await ask();
    expect(refused.status).toBe(429);
    expect(refused.headers.get('content-type')).toBe('application/problem+json');
    expect(refused.headers.get('cache-control')).toBe('no-store');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(25);
    expect(leftOf(refused).default).toBeLessThan(2);
    expect(await refused.json()).toMatchObject({ code: 'rate_limited', status: 429 });
  });

  it('with a key are counted by key, from any address', async () => {
    const key = await app.createAccount('reader');
    const headers = { authorization: `Bearer ${key}` };
    expect(leftOf(await app.request('/v1/results', { headers }, '198.51.100.4'))).toEqual({ default: 98 });
    expect(leftOf(await app.request('/v1/results', { headers }, '198.51.100.5'))).toEqual({ default: 96 });
    expect(leftOf(await app.request('/v1/results', {}, '198.51.100.5'))).toEqual({ default: 98 });
  });

  // Otherwise a client could avoid the limit with a new made-up key for every request.
  it('with invalid keys count against the address', async () => {
    const ask = (i: number) =>
      app.request('/v1/results', { headers: { authorization: `Bearer made-up-${i}` } }, '198.51.100.6');
    for (let i = 0; i < 100; i++) expect((await ask(i)).status).toBe(401);
    expect((await ask(100)).status).toBe(429);
  });

  it('include writes without a key and MCP requests, but not the reads within them', async () => {
    const from = '198.51.100.7';
    const post = (path: string, body: unknown) =>
      app.request(
        path,
        {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
          body: JSON.stringify(body),
        },
        from,
      );
    expect(leftOf(await post('/v1/submissions', {}))).toEqual({ default: 99 });
    const call = { name: 'list_catalogue', arguments: { kind: 'gpus' } };
    const asked = await post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call });
    expect(asked.status).toBe(200);
    expect(leftOf(asked)).toEqual({ default: 94 });
    expect(leftOf(await app.request('/v1/nope', {}, from))).toEqual({ default: 93 });
  });

  it('use the client address behind a trusted proxy, and the network of an IPv6 address', async () => {
    const behind = (client: string, proxy = '10.1.2.3') =>
      app.request('/v1/nope', { headers: { 'x-forwarded-for': client } }, proxy);
    expect(leftOf(await behind('203.0.113.1'))).toEqual({ default: 99 });
    expect(leftOf(await behind('203.0.113.2'))).toEqual({ default: 99 });
    expect(leftOf(await behind('1.1.1.1, 203.0.113.1'))).toEqual({ default: 98 });
    expect(leftOf(await behind('2001:db8::1'))).toEqual({ default: 99 });
    expect(leftOf(await behind('2001:db8::ffff:1'))).toEqual({ default: 98 });
    // An address sent by an untrusted client is ignored.
    expect(leftOf(await behind('203.0.113.9', '192.0.2.1'))).toEqual({ default: 99 });
    expect(leftOf(await behind('203.0.113.8', '192.0.2.1'))).toEqual({ default: 98 });
  });

  it.each(['/healthz', '/readyz', '/metrics', '/openapi.json', '/docs', '/llms.txt'])(
    'of %s are not counted',
    async (path) => {
      const response = await app.request(path, {}, '198.51.100.8');
      expect(response.status).toBe(200);
      expect(response.headers.get('ratelimit')).toBeNull();
    },
  );

  it('are counted in the metrics', async () => {
    const text = await (await app.request('/metrics')).text();
    expect(text).toMatch(/^inferboard_rate_limited_total\{policy="default"\} [1-9]/m);
  });
});

describe('writes', () => {
  const app = useTestApp({ writes: 5 });
  const submit = (key: string, headers: Record<string, string> = {}) =>
    app.request('/v1/submissions?dry_run=true', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, ...headers },
      body: sampleLine,
    });

  it('are counted by key, in requests and in bytes', async () => {
    const [mine, other] = [await app.createAccount('writer'), await app.createAccount('other writer')];
    const first = await submit(mine, { 'content-length': '1000' });
    expect(first.headers.get('ratelimit-policy')).toBe(
      '"writes";q=5;w=60, "uploads";q=4294967296;qu="content-bytes";w=3600',
    );
    expect(leftOf(first)).toEqual({ writes: 4, uploads: 2 ** 32 - 1000 });
    // A body without a length counts as the maximum.
    const unsized = await submit(mine);
    expect(leftOf(unsized).writes).toBe(3);
    expect(leftOf(unsized).uploads).toBeLessThanOrEqual(2 ** 32 - 16 * 1024 ** 2);
    for (let i = 0; i < 3; i++) expect((await submit(mine)).status).toBe(422);
    const refused = await submit(mine);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(leftOf(await submit(other)).writes).toBe(4);
    // Reads still work.
    const read = await app.request('/v1/keys', { headers: { authorization: `Bearer ${mine}` } });
    expect(read.status).toBe(200);
    expect(read.headers.get('ratelimit')).toBeNull();
  });

  it('are rejected when the hourly bytes are used up', async () => {
    const key = await app.createAccount('archive');
    const { keyId } = (
      await app.deps.database.sql`
      select k.id as "keyId" from api_keys k join accounts a on a.id = k.account_id where a.name = 'archive'`
    )[0] as {
      keyId: string;
    };
    await app.deps.database.sql`
      insert into rate_limits values (${`uploads key ${keyId}`}, now() + interval '3599.9 seconds')`;
    const refused = await submit(key, { 'content-length': String(16 * 1024 ** 2) });
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ code: 'rate_limited', detail: expect.stringContaining('bytes') });
    expect(refused.headers.get('retry-after')).toMatch(/^(1[0-4]|[1-9])$/);
  });
});

describe('clients that continue after a rejection', () => {
  const app = useTestApp({ reads: 101, writes: 3 });
  const ask = (key: string, path: string, method = 'GET') =>
    app.request(path, { method, headers: { authorization: `Bearer ${key}` } }, '198.51.100.9');
  const revoke = (name: string) => app.deps.database.sql`
    update api_keys k set revoked_at = now() from accounts a where a.id = k.account_id and a.name = ${name}`;

  // The database no longer has the key. A 429 instead of a 401 shows that it was not queried.
  it.each([
    ['reads', 'GET', '/v1/results.csv', '"default";q=101;w=60'],
    ['changes', 'POST', '/v1/submissions?dry_run=true', '"writes";q=3;w=60'],
  ])('rejects without looking up the key: %s', async (name, method, path, policy) => {
    const key = await app.createAccount(name);
    let first = await ask(key, path, method);
    for (let asked = 1; asked < 4 && first.status !== 429; asked++) first = await ask(key, path, method);
    await revoke(name);
    const again = await ask(key, path, method);
    for (const refused of [first, again]) {
      expect(refused.status).toBe(429);
      expect(refused.headers.get('ratelimit-policy')).toBe(policy);
      expect(refused.headers.get('ratelimit')).toMatch(/;r=[01];t=\d+$/);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(await refused.json()).toMatchObject({ code: 'rate_limited' });
    }
    // One read is left. The key is looked up before the read is counted.
    expect((await ask(key, '/v1/submissions/sub_0')).status).toBe(401);
  });

  it('consumes nothing from the remaining quota', async () => {
    const key = await app.createAccount('patient');
    for (let i = 0; i < 4; i++) await ask(key, '/v1/results.csv');
    expect(leftOf(await ask(key, '/v1/submissions/sub_0'))).toEqual({ default: 0 });
  });
});

describe('without limits', () => {
  const app = useTestApp();
  it('counts nothing', async () => {
    const response = await app.request('/v1/results', { headers: { authorization } }, '198.51.100.1');
    expect(response.headers.get('ratelimit')).toBeNull();
    expect(response.headers.get('ratelimit-policy')).toBeNull();
  });
});

describe('limit settings', () => {
  it('have defaults, can be turned off, and invalid ones are named', () => {
    expect(parseEnv({})).toMatchObject({
      RATE_LIMIT_READS: readsDefault,
      RATE_LIMIT_WRITES: writesDefault,
      TRUSTED_PROXIES: [],
    });
    const given = { RATE_LIMIT_READS: 'off', RATE_LIMIT_WRITES: '10', TRUSTED_PROXIES: '10.0.0.0/8, fd00::/8' };
    expect(parseEnv(given)).toMatchObject({
      RATE_LIMIT_READS: null,
      RATE_LIMIT_WRITES: 10,
      TRUSTED_PROXIES: ['10.0.0.0/8', 'fd00::/8'],
    });
  });

  it.each([
    ['RATE_LIMIT_READS', '0'],
    ['RATE_LIMIT_READS', '-5'],
    ['RATE_LIMIT_WRITES', 'many'],
    ['RATE_LIMIT_WRITES', '1e3'],
    ['TRUSTED_PROXIES', '10.0.0.1'],
    ['TRUSTED_PROXIES', 'all'],
  ])('%s=%s stops the start', (name, value) => {
    expect(() => parseEnv({ [name]: value })).toThrow(SettingsError);
    expect(() => parseEnv({ [name]: value })).toThrow(name);
  });
});

describe('the table of costs', () => {
  interface Operation {
    'x-rate-limit'?: { policy: string; cost: number };
    responses: object;
  }
  const { paths } = committedDocument('http://localhost:8787') as unknown as {
    paths: Record<string, Record<string, Operation>>;
  };

  it('lists every counted operation', () => {
    for (const [path, operations] of Object.entries(paths)) {
      for (const [method, operation] of Object.entries(operations)) {
        const cost = costOf(path);
        const documented = operation['x-rate-limit'];
        if (cost === null) expect(documented, path).toBeUndefined();
        else {
          expect(documented, path).toEqual(
            method === 'get' ? { policy: 'default', cost } : { policy: 'writes', cost: 1 },
          );
          expect(Object.keys(operation.responses), path).toContain('429');
        }
      }
    }
  });

  it('charges more for expensive requests', () => {
    const [byId, list, board, whole] = [
      '/v1/results/res_1',
      '/v1/results',
      '/v1/leaderboard',
      '/v1/leaderboard.csv',
    ].map((path) => costOf(path) ?? 0) as [number, number, number, number];
    expect([byId < list, list < board, board < whole]).toEqual([true, true, true]);
  });
});
