import { once } from 'node:events';
import { connect } from 'node:net';
import { useTestDatabase } from '@inferboard/db/testing/index';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProblemSchema } from '../schemas/common.ts';
import { parseEnv } from '../startup/env.ts';
import { type Service, startService } from '../startup/service.ts';
import { adminKey } from '../testing/index.ts';
import { errorTable } from './errors.ts';

// The service on a socket, as clients and proxies see it.

const database = useTestDatabase();
let service: Service;
beforeAll(async () => {
  const env = parseEnv({
    DATABASE_URL: database.url,
    PORT: '0',
    ADMIN_KEY: adminKey,
    SAMPLE_DATA: 'false',
    ROLES: 'api',
    TRUSTED_PROXIES: '127.0.0.0/8',
  });
  service = await startService(env, (level, message, details) => level === 'error' && console.error(message, details));
});
afterAll(() => service.stop());

const ask = (path: string, init: RequestInit = {}) => fetch(`${service.url}${path}`, init);

/** Sends raw bytes; returns the head and body of the response. */
async function send(bytes: string): Promise<{ head: string; body: string }> {
  const socket = connect(Number(new URL(service.url ?? '').port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write(bytes);
  let text = '';
  for await (const chunk of socket.setEncoding('utf8')) text += chunk;
  const at = text.indexOf('\r\n\r\n');
  return { head: text.slice(0, at).toLowerCase(), body: text.slice(at + 4) };
}

interface Problem {
  type: string;
  status: number;
  code: string;
  request_id: string;
}

async function expectProblem(response: Response, status: number, code: string): Promise<void> {
  expect(response.status).toBe(status);
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  const problem = (await response.json()) as Problem;
  expect(problem).toMatchObject({ status, code, request_id: response.headers.get('x-request-id') });
  expect(problem.type).toMatch(new RegExp(`/docs/errors#${code}$`));
}

describe('error responses', () => {
  it('of unknown paths are problem documents', async () => {
    for (const path of ['/v1/nope', '/nope', '/v1', '/docs/nope', '/metrics/x'])
      await expectProblem(await ask(path), 404, 'not_found');
  });

  it.each([
    ['PUT', '/v1/submissions', ['GET', 'HEAD', 'POST']],
    ['DELETE', '/v1/leaderboard', ['GET', 'HEAD']],
    ['POST', '/v1/submissions/sub_1', ['GET', 'HEAD']],
    ['GET', '/v1/accounts', ['POST']],
    ['POST', '/metrics', ['GET', 'HEAD']],
    ['POST', '/healthz', ['GET', 'HEAD']],
    ['DELETE', '/openapi.json', ['GET', 'HEAD']],
    ['PUT', '/mcp', ['GET', 'HEAD', 'POST']],
  ])('to %s %s name the allowed methods', async (method, path, allowed) => {
    const response = await ask(path, { method, headers: { authorization: `Bearer ${adminKey}` } });
    expect((response.headers.get('allow') ?? '').split(', ').toSorted()).toEqual(allowed);
    await expectProblem(response, 405, 'method_not_allowed');
  });

  it('to a body that is not JSON', async () => {
    const headers = { authorization: `Bearer ${adminKey}`, 'content-type': 'text/plain' };
    await expectProblem(
      await ask('/v1/accounts', { method: 'POST', headers, body: 'name=x' }),
      415,
      'media_type_unsupported',
    );
  });

  it('reject a URL that is too long with 431, but not one of 10,000 characters', async () => {
    const long = await send(`GET /v1/results?model=${'a'.repeat(40_000)} HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(long.head).toMatch(/^http\/1\.1 431 /);
    await expectProblem(await ask(`/v1/results?model=${'a'.repeat(10_000)}`), 422, 'request_invalid');
  });

  // All parts of the service return errors in the same format.
  const get = 'GET /v1/results HTTP/1.1\r\nConnection: close\r\n';
  it.each([
    ['text that is not HTTP', 'HELO there\r\n\r\n', 400, 'request_malformed', []],
    [
      'a header section that is too large',
      `${get}Host: x\r\nX: ${'a'.repeat(40_000)}\r\n\r\n`,
      431,
      'head_too_large',
      null,
    ],
    ['a request without a host', `${get}\r\n`, 400, 'address_unreadable', ['Host']],
    ['an invalid host', `${get}Host: a b/..\r\n\r\n`, 400, 'address_unreadable', ['Host']],
    ['an Expect header', `${get}Host: x\r\nExpect: miracles\r\n\r\n`, 417, 'expectation_unknown', ['Expect']],
    ['a CONNECT request', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', 405, 'method_not_allowed', null],
  ] as const)('to %s have the common format', async (_, bytes, status, code, named) => {
    const { head, body } = await send(bytes);
    const headers = new Map(head.split('\r\n').map((line) => [line.split(': ')[0], line.split(': ')[1]]));
    const problem = ProblemSchema.strict().parse(JSON.parse(body));
    expect(head).toMatch(new RegExp(`^http/1\\.1 ${status} `));
    expect(headers.get('content-type')).toBe('application/problem+json');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.has('allow')).toBe(status === 405);
    expect(problem).toMatchObject({ status, code, request_id: headers.get('x-request-id') });
    expect(problem.title).toBe(errorTable.find((row) => row.code === code)?.title);
    const parameters = problem.errors?.flatMap(({ parameter }) => parameter ?? []) ?? null;
    expect(parameters).toEqual(named);
    // The link leads to an explanation.
    const { pathname, hash } = new URL(problem.type);
    expect(await (await ask(pathname)).text()).toContain(`id="${hash.slice(1)}"`);
  });
});

describe('HEAD', () => {
  it('accepts a URL with a password, as GET does', async () => {
    for (const method of ['GET', 'HEAD']) {
      const address = 'http://a:b@x/v1/catalogue/gpus';
      const { head } = await send(`${method} ${address} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      expect(head, method).toMatch(/^http\/1\.1 200 /);
    }
  });

  it('has the Content-Length of GET and no body', async () => {
    for (const path of ['/v1/catalogue/gpus', '/healthz', '/openapi.json', '/docs', '/v1/nope']) {
      const get = await ask(path, { headers: { 'accept-encoding': 'identity' } });
      const length = (await get.arrayBuffer()).byteLength;
      const { head, body } = await send(`HEAD ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      expect(head, path).toMatch(new RegExp(`^http/1\\.1 ${get.status} `));
      expect(head, path).toContain(`content-length: ${length}`);
      expect(body).toBe('');
    }
  });
});

describe('requests from other origins', () => {
  const preflight = (path: string, method: string, headers = 'if-none-match') =>
    ask(path, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://x.example',
        'access-control-request-method': method,
        'access-control-request-headers': headers,
      },
    });

  it('can read public data, without credentials', async () => {
    for (const path of ['/v1/leaderboard', '/v1/results.csv', '/openapi.json', '/llms.txt', '/v1/nope']) {
      const { headers } = await ask(path, { headers: { origin: 'https://x.example' } });
      expect(headers.get('access-control-allow-origin'), path).toBe('*');
      expect(headers.get('access-control-allow-credentials'), path).toBeNull();
      for (const name of ['ETag', 'RateLimit', 'Retry-After', 'X-Request-Id'])
        expect(headers.get('access-control-expose-headers'), path).toContain(name);
    }
  });

  it('cannot write or send a key', async () => {
    const { headers, status } = await preflight('/v1/submissions', 'POST', 'authorization');
    expect(status).toBe(204);
    expect(headers.get('access-control-allow-methods')).toBe('GET,HEAD,OPTIONS');
    expect(headers.get('access-control-allow-headers')).not.toMatch(/authorization|\*/i);
    for (const path of ['/mcp', '/metrics', '/healthz'])
      expect((await preflight(path, 'GET')).headers.get('access-control-allow-origin'), path).toBeNull();
  });
});

describe('every response', () => {
  it('has security headers', async () => {
    for (const path of ['/v1/leaderboard', '/v1/nope', '/healthz', '/metrics', '/docs', '/openapi.json']) {
      const { headers } = await ask(path);
      expect(headers.get('content-security-policy'), path).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
      expect(headers.get('x-content-type-options'), path).toBe('nosniff');
      expect(headers.get('referrer-policy'), path).toBe('strict-origin-when-cross-origin');
      // Over plain HTTP browsers ignore the header, so it is not sent.
      expect(headers.get('strict-transport-security'), path).toBeNull();
      expect(headers.get('x-powered-by'), path).toBeNull();
      expect(headers.get('server'), path).toBeNull();
    }
  });

  it("has a request id: the client's, if it is valid", async () => {
    const idOf = async (given?: string) =>
      (await ask('/healthz', { headers: given === undefined ? {} : { 'x-request-id': given } })).headers.get(
        'x-request-id',
      );
    expect(await idOf('my-request_42')).toBe('my-request_42');
    for (const given of [undefined, 'a b', 'x'.repeat(101), '<script>', '{"a":1}'])
      expect(await idOf(given)).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
  });

  it('is compressed if it is long and the client supports it', async () => {
    const sizes = await Promise.all(
      ['identity', 'gzip', 'br'].map(async (coding) => {
        const response = await ask('/v1/catalogue/metrics', { headers: { 'accept-encoding': coding } });
        expect(response.headers.get('content-encoding')).toBe(coding === 'identity' ? null : coding);
        expect(response.headers.get('vary')).toMatch(/accept-encoding/i);
        return Number(response.headers.get('content-length'));
      }),
    );
    const [plain = 0, ...packed] = sizes;
    for (const size of packed) expect(size).toBeLessThan(plain / 4);
    for (const path of ['/healthz', '/v1/nope']) {
      const { headers } = await ask(path, { headers: { 'accept-encoding': 'gzip' } });
      expect(headers.get('content-encoding'), path).toBeNull();
    }
  });
});

it('a client behind a trusted proxy is counted by its own address', async () => {
  const left = async (client: string) =>
    /r=(\d+)/.exec(
      (await ask('/v1/nope', { headers: { 'x-forwarded-for': client } })).headers.get('ratelimit') ?? '',
    )?.[1];
  const first = await left('203.0.113.50');
  expect(Number(first)).toBeGreaterThan(1000);
  expect(await left('203.0.113.51')).toBe(first);
});
