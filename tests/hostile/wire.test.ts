import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { multipartType } from '../support/hostile.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { authorization } from './setup.ts';

// For any input: no 5xx, a problem document with the error for every rejection, and no silently ignored input.

describe('raw requests', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ SAMPLE_DATA: 'false', ROLES: 'api' });
  });
  afterAll(() => server.dispose());

  /** Sends raw bytes; returns the response until the server closes the connection or the timeout ends. */
  function exchange(head: string, chunks: Iterable<Buffer> = []): Promise<string> {
    return new Promise((resolve) => {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
      let answer = '';
      const timer = setTimeout(() => socket.destroy(), 120_000);
      socket.on('data', (bytes) => {
        answer += bytes.toString('latin1');
        // A problem document is one JSON object; after it, the client can close the connection.
        if (/^HTTP\/1\.1 4\d\d /.test(answer) && answer.trimEnd().endsWith('}')) socket.destroy();
      });
      // The server can close before it reads everything.
      socket.on('error', () => {});
      socket.on('close', () => {
        clearTimeout(timer);
        resolve(answer);
      });
      socket.write(head);
      const iterator = chunks[Symbol.iterator]();
      const go = () => {
        for (let next = iterator.next(); !next.done; next = iterator.next()) {
          if (socket.destroyed) return;
          if (!socket.write(next.value)) {
            socket.once('drain', go);
            return;
          }
        }
      };
      go();
    });
  }

  function* chunked(bytes: number): Generator<Buffer> {
    const data = Buffer.alloc(65_536, 97);
    for (let sent = 0; sent < bytes; sent += data.length)
      yield Buffer.concat([Buffer.from('10000\r\n'), data, Buffer.from('\r\n')]);
    yield Buffer.from('0\r\n\r\n');
  }
  const post = (path: string, type: string) =>
    `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`;

  it.each([
    ['/v1/submissions?dry_run=true', 'text/plain'],
    ['/v1/submissions?dry_run=true', multipartType],
    ['/v1/accounts', 'application/json'],
  ])('POST %s as %s is not read above the limit', async (path, type) => {
    const answer = await exchange(post(path, type), chunked(64 * 1024 * 1024));
    expect(answer.slice(0, 300)).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('body_too_large');
  });

  it.each([
    ['a header of 20 000 characters', `GET /healthz HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`],
    ['a URL of 20 000 characters', `GET /v1/results?model=${'a'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`],
    ['an invalid host', 'GET /v1/results HTTP/1.1\r\nHost: a b/..\r\nConnection: close\r\n\r\n'],
    ['a host with an unclosed bracket', 'GET /v1/results HTTP/1.1\r\nHost: [::1\r\nConnection: close\r\n\r\n'],
    ['a request without a host', 'GET /v1/results HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['two hosts', 'GET /v1/results HTTP/1.1\r\nHost: a\r\nHost: b c\r\nConnection: close\r\n\r\n'],
    ['an invalid URL', 'GET http://[::1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
    ['a NUL in the URL', 'GET /v1/\u0000 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
    ['a NUL in a header', 'GET /v1/results HTTP/1.1\r\nHost: a\r\nX: \u0000\r\n\r\n'],
    ['a future HTTP version', 'GET /v1/results HTTP/9.9\r\nHost: a\r\n\r\n'],
    ['an Expect header', 'GET /v1/results HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\nConnection: close\r\n\r\n'],
    ['a CONNECT request', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
    ['a TRACE request', 'TRACE /v1/results HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
    ['a negative Content-Length', 'POST /v1/accounts HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n'],
    [
      'two Content-Length headers',
      'POST /v1/accounts HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    ],
    [
      'a Content-Length with chunks',
      'POST /v1/accounts HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    [
      'invalid chunks',
      `POST /v1/accounts HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
    ],
    ['a header without a name', 'GET /v1/results HTTP/1.1\r\nHost: a\r\n: x\r\n\r\n'],
    ['a space before the colon', 'GET /v1/results HTTP/1.1\r\nHost : a\r\n\r\n'],
    ['4 000 headers', `GET /v1/results HTTP/1.1\r\nHost: a\r\n${'x: y\r\n'.repeat(4000)}\r\n`],
    ['bytes that are not a request', '\u0000\u0001 nonsense\r\n\r\n'],
    ['an unknown method', 'FOO /v1/results HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
  ])('returns a problem document for %s', async (_, request) => {
    const answer = await exchange(request);
    expect(answer.slice(0, 40)).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(answer.toLowerCase()).toContain('content-type: application/problem+json');
  });

  it.each([
    ['a short body', 'Content-Length: 1000\r\n\r\n', 500],
    ['a long body', 'Content-Length: 1000000\r\n\r\n', 500_000],
    ['a body in chunks', 'Transfer-Encoding: chunked\r\n\r\n10000\r\n', 60_000],
  ])('does not count %s that is aborted as a server error', async (_, head, sent) => {
    const posted = 'inferboard_http_requests_total{method="POST",route="/v1/submissions",status=';
    const count = async (status: string) => {
      const lines = (await (await fetch(`${server.url}/metrics`)).text()).split('\n');
      return Number(lines.find((line) => line.startsWith(`${posted}"${status}"}`))?.split(' ')[1] ?? 0);
    };
    const before = { refused: await count('4xx'), failed: await count('5xx') };
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.write(`POST /v1/submissions HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\n${head}`);
    await new Promise((resolve) => socket.write('x'.repeat(sent), resolve));
    socket.destroy();
    await expect.poll(() => count('4xx')).toBe(before.refused + 1);
    expect(await count('5xx')).toBe(before.failed);
  });

  it('accepts a long body that arrives slowly, and a body of a GET request', async () => {
    const head = (method: string, length: number) =>
      `${method} /v1/submissions?dry_run=true HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n`;
    const pieces = Array.from({ length: 40 }, () => Buffer.alloc(8191, 97));
    const long = await exchange(head('POST', 40 * 8191), pieces);
    expect(long.slice(0, 300)).toMatch(/^HTTP\/1\.1 422 /);
    expect(long).toContain('tool_unrecognised');
    expect((await exchange(head('GET', 5), [Buffer.from('hello')])).slice(0, 40)).toMatch(/^HTTP\/1\.1 (200|422) /);
  });

  it('responds again on a connection whose body was rejected early', async () => {
    const length = 17 * 1024 * 1024;
    const refused = `POST /v1/submissions HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\nContent-Length: ${length}\r\n\r\n`;
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    let answers = '';
    let ended = false;
    socket.on('data', (bytes) => {
      answers += bytes.toString('latin1');
    });
    socket.on('close', () => {
      ended = true;
    });
    socket.write(refused);
    socket.write(Buffer.alloc(length));
    await expect.poll(() => answers).toMatch(/^HTTP\/1\.1 413 /);
    // The server cuts off clients that keep sending after five seconds; this client has sent everything.
    await sleep(6000);
    expect(ended).toBe(false);
    socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
    await expect.poll(() => answers).toContain('HTTP/1.1 200 OK');
    socket.destroy();
  });

  it('leaves the service ready', async () => {
    const response = await fetch(`${server.url}/readyz`);
    expect(response.status).toBe(200);
  });
});
