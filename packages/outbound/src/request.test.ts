import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, test, vi } from 'vitest';
import { openConnection } from './connect.ts';
import { OutboundFailure, OutboundRefusal } from './failures.ts';
import { createPolicy } from './policy.ts';
import { type RequestOptions, request } from './request.ts';
import { resolveTarget } from './resolve-target.ts';
import { endless, httpAnswer, startRawServer } from './testing/raw-server.ts';

const contact = 'https://bench.example/contact';
const policy = createPolicy({ contact, allowCidrs: ['127.0.0.1/32', '::1/128'] });
const lookup = async () => [{ address: '127.0.0.1' }];

afterEach(() => {
  vi.unstubAllEnvs();
});

const failureOf = async (url: string, options: RequestOptions = {}): Promise<OutboundFailure> => {
  const error = await request(url, options, policy).catch((reason: unknown) => reason);
  return error instanceof OutboundFailure ? error : expect.fail(`no failure: ${inspect(error)}`);
};

const refusalOf = async (url: string, options: RequestOptions = {}): Promise<OutboundRefusal> => {
  const error = await request(url, options, policy).catch((reason: unknown) => reason);
  return error instanceof OutboundRefusal ? error : expect.fail(`not refused: ${inspect(error)}`);
};

test('sends the given host and our user agent to the checked address', async () => {
  await using server = await startRawServer(
    httpAnswer('{"data":[]}', 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nset-cookie: a=b\r\nx-internal: 1'),
  );
  const url = `http://gpu.example.com:${server.port}/v1/models?limit=1`;
  const answer = await request(url, { lookup, headers: { accept: 'application/json' } }, policy);
  expect(answer).toEqual({
    status: 200,
    headers: { 'content-type': 'application/json', 'content-length': '11' },
    bytes: Buffer.from('{"data":[]}'),
  });
  expect(server.received).toHaveLength(1);
  const [head = ''] = server.received;
  expect(head).toMatch(/^GET \/v1\/models\?limit=1 HTTP\/1\.1\r\n/);
  expect(head).toContain(`host: gpu.example.com:${server.port}\r\n`);
  expect(head).toContain('user-agent: inferboard (+https://bench.example/contact)\r\n');
  expect(head).toContain('accept-encoding: identity\r\n');
  expect(head).not.toContain('authorization');
});

test('posts a body', async () => {
  await using server = await startRawServer(httpAnswer('', 'HTTP/1.1 202 Accepted'));
  const answer = await request(`http://127.0.0.1:${server.port}/`, { method: 'POST', body: '{"a":1}' }, policy);
  expect(answer.status).toBe(202);
  const wanted = /^POST \/ [\s\S]*content-length: 7\r\n\r\n\{"a":1\}$/;
  await expect.poll(() => server.received[0]).toMatch(wanted);
});

test.each([301, 302, 303, 307, 308])('returns a redirect with %i without following it', async (status) => {
  await using inside = await startRawServer(httpAnswer('secret'));
  const location = `http://127.0.0.1:${inside.port}/`;
  await using server = await startRawServer(httpAnswer('', `HTTP/1.1 ${status} Moved\r\nlocation: ${location}`));
  const answer = await request(`http://127.0.0.1:${server.port}/`, {}, policy);
  expect(answer).toMatchObject({ status, headers: { location } });
  expect(inside.received).toEqual([]);
});

test('sends a credential only to the origin for which it was registered', async () => {
  await using server = await startRawServer(httpAnswer('ok'));
  const value = 'Bearer sk-4242';
  const origin = `http://gpu.example.com:${server.port}`;
  await request(`${origin}/v1`, { lookup, authorization: { origin, value } }, policy);
  expect(server.received[0]).toContain('\r\nauthorization: Bearer sk-4242\r\n');
  for (const elsewhere of [
    `https://gpu.example.com:${server.port}`,
    'http://gpu.example.com',
    `http://api.gpu.example.com:${server.port}`,
    `http://gpu.example.com.evil.example:${server.port}`,
    `${origin}/`,
    '',
  ]) {
    const error = await refusalOf(`${origin}/v1`, { lookup, authorization: { origin: elsewhere, value } });
    expect(error.code).toBe('credential_elsewhere');
    expect(inspect(error)).not.toContain('sk-4242');
  }
  expect(server.received).toHaveLength(1);
});

test.each([
  [{ Authorization: 'Bearer x' }, 'header_not_allowed'],
  [{ Host: 'inside.example' }, 'header_not_allowed'],
  [{ cookie: 'a=b' }, 'header_not_allowed'],
  [{ 'Transfer-Encoding': 'chunked' }, 'header_not_allowed'],
  [{ 'x-a': 'b\r\nhost: inside' }, 'header_invalid'],
  [{ 'x-a\r\nhost': 'inside' }, 'header_invalid'],
  [{ 'x-a': 'b\u0000' }, 'header_invalid'],
])('rejects a header that callers cannot set: %j', async (headers, code) => {
  await using server = await startRawServer(httpAnswer('ok'));
  expect(await refusalOf(`http://127.0.0.1:${server.port}/`, { headers })).toMatchObject({ code });
  expect(server.received).toEqual([]);
});

test('rejects a credential with a line break, without showing it', async () => {
  const authorization = { origin: 'http://127.0.0.1:8000', value: 'Bearer sk-4242\r\nx: y' };
  const error = await refusalOf('http://127.0.0.1:8000/', { authorization });
  expect(error.code).toBe('header_invalid');
  expect(inspect(error)).not.toContain('sk-4242');
});

test('ignores proxies in environment variables', async () => {
  await using proxy = await startRawServer(httpAnswer('proxied'));
  await using server = await startRawServer(httpAnswer('direct'));
  for (const name of ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy']) {
    vi.stubEnv(name, `http://127.0.0.1:${proxy.port}`);
  }
  vi.stubEnv('NODE_USE_ENV_PROXY', '1');
  const { bytes } = await request(`http://gpu.example.com:${server.port}/`, { lookup }, policy);
  expect(Buffer.from(bytes).toString()).toBe('direct');
  expect(proxy.received).toEqual([]);
});

const chunkedHead = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
const kilobyte = 'a'.repeat(1024);
const manyTrailers = `${chunkedHead}0\r\n${Array.from({ length: 64 }, (_, i) => `x-${i}: ${kilobyte}\r\n`).join('')}\r\n`;

test.each([
  ['an endless chunked body', endless(chunkedHead, `400\r\n${kilobyte}\r\n`)],
  ['an endless body without a length', endless('HTTP/1.1 200 OK\r\n\r\n', kilobyte)],
  ['a body as long as its content-length', endless('HTTP/1.1 200 OK\r\ncontent-length: 999999999\r\n\r\n', kilobyte)],
  ['endless headers', endless('HTTP/1.1 200 OK\r\n', `x-a: ${kilobyte}\r\n`)],
  ['one endless header', endless('HTTP/1.1 200 OK\r\nx-a: ', kilobyte)],
  ['endless early hints', endless('', `HTTP/1.1 103 Early Hints\r\nlink: ${kilobyte}\r\n\r\n`)],
  ['large trailers', (socket) => socket.end(manyTrailers)],
] satisfies [string, Parameters<typeof startRawServer>[0]][])('rejects %s as too large', async (_, answer) => {
  await using server = await startRawServer(answer);
  const limits = { bodyBytesMax: 100_000, timeout_ms: 5_000 };
  const error = await failureOf(`http://127.0.0.1:${server.port}/`, { limits });
  expect(error.words).toBe('too large');
});

test('accepts a body of exactly the limit', async () => {
  await using server = await startRawServer(httpAnswer(kilobyte));
  const limits = { bodyBytesMax: 1024 };
  expect((await request(`http://127.0.0.1:${server.port}/`, { limits }, policy)).bytes.byteLength).toBe(1024);
});

test('rejects a body or a head of one byte above the limit', async () => {
  await using server = await startRawServer(httpAnswer(kilobyte, `HTTP/1.1 200 OK\r\nx-a: ${kilobyte}`));
  const url = `http://127.0.0.1:${server.port}/`;
  expect((await failureOf(url, { limits: { bodyBytesMax: 1023 } })).words).toBe('too large');
  expect((await failureOf(url, { limits: { headerBytesMax: 1024 } })).words).toBe('too large');
});

test('does not decompress a body', async () => {
  const bomb = gzipSync(Buffer.alloc(10_000_000));
  await using server = await startRawServer(httpAnswer(bomb, 'HTTP/1.1 200 OK\r\ncontent-encoding: gzip'));
  const answer = await request(`http://127.0.0.1:${server.port}/`, {}, policy);
  expect(answer.bytes.byteLength).toBe(bomb.byteLength);
  expect(answer.headers['content-encoding']).toBe('gzip');
});

test.each([
  ['nothing', () => {}],
  ['half a head', (socket) => socket.write('HTTP/1.1 200 OK\r\nx-a:')],
  ['half a body', (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc')],
  ['only an interim response', (socket) => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n')],
  [
    'a slow body',
    (socket) => {
      socket.write(chunkedHead);
      const timer = setInterval(() => socket.write('1\r\na\r\n'), 5);
      socket.once('close', () => clearInterval(timer));
    },
  ],
] satisfies [string, Parameters<typeof startRawServer>[0]][])('times out if the server sends %s', async (_, answer) => {
  await using server = await startRawServer(answer);
  const error = await failureOf(`http://127.0.0.1:${server.port}/`, { limits: { timeout_ms: 100 } });
  expect(error.words).toBe('timed out');
  expect(error.detail).toContain('not done within 100 ms');
});

test.each([
  ['a closed connection', (socket) => socket.destroy()],
  ['garbage', (socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n')],
  [
    'another protocol',
    (socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
  ],
  ['a truncated body', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc')],
  [
    'two content lengths',
    (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 3\r\ncontent-length: 2\r\n\r\nabc'),
  ],
  [
    'a length and chunks',
    (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'),
  ],
] satisfies [string, Parameters<typeof startRawServer>[0]][])(
  'reports no answer for %s, without a retry',
  async (_, answer) => {
    await using server = await startRawServer(answer);
    const error = await failureOf(`http://127.0.0.1:${server.port}/`);
    expect(error.words).toBe('no answer');
    expect(server.received).toHaveLength(1);
  },
);

async function closedPort(): Promise<number> {
  await using server = await startRawServer(() => {});
  return server.port;
}

test('reports a closed port without details, which only the operator sees', async () => {
  const port = await closedPort();
  const error = await failureOf(`http://gpu.example.com:${port}/private?key=1`, { lookup });
  expect(error.message).toBe('refused');
  expect(JSON.stringify({ ...error, message: error.message })).not.toContain('127.0.0.1');
  expect(inspect(error)).not.toContain('127.0.0.1');
  expect(error.detail).toContain('gpu.example.com at 127.0.0.1: ECONNREFUSED');
  expect(error.detail).not.toContain('key=1');
});

test('tries the next address if one rejects the connection', async () => {
  await using server = await startRawServer(httpAnswer('ok'));
  const both = async () => [{ address: '::1' }, { address: '127.0.0.1' }];
  expect(await request(`http://gpu.example.com:${server.port}/`, { lookup: both }, policy)).toMatchObject({
    status: 200,
  });
});

test('reports a TLS error for a server without TLS', async () => {
  await using server = await startRawServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'), 'first byte');
  expect((await failureOf(`https://127.0.0.1:${server.port}/`)).words).toBe('tls failed');
});

test('times out if a TLS handshake never ends', async () => {
  await using server = await startRawServer(() => {});
  expect((await failureOf(`https://127.0.0.1:${server.port}/`, { limits: { timeout_ms: 100 } })).words).toBe(
    'timed out',
  );
});

test('does not retry a server that closes each connection', async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  expect((await failureOf(`http://127.0.0.1:${port}/`)).words).toBe('no answer');
  expect(connections).toBe(1);
  server.close();
});

test('checks an allowed address again before connecting', async () => {
  await using server = await startRawServer(httpAnswer('ok'));
  const target = await resolveTarget(`http://127.0.0.1:${server.port}/`, policy);
  const later = createPolicy({ contact });
  await expect(openConnection(target, later, new AbortController().signal)).rejects.toThrow(OutboundRefusal);
  const socket = await openConnection(target, policy, new AbortController().signal);
  socket.destroy();
  expect(server.received.join('')).toBe('');
});

test('stops when the caller aborts, before and during the request', async () => {
  await using server = await startRawServer(() => {});
  const url = `http://127.0.0.1:${server.port}/`;
  expect((await failureOf(url, { signal: AbortSignal.abort() })).words).toBe('canceled');
  expect(server.received).toEqual([]);
  expect((await failureOf(url, { signal: AbortSignal.timeout(30) })).words).toBe('canceled');
});

test('includes the DNS lookup in the time limit', async () => {
  const error = await failureOf('http://gpu.example.com:8000/', {
    lookup: () => new Promise(() => {}),
    limits: { timeout_ms: 30 },
  });
  expect(error.words).toBe('timed out');
});
