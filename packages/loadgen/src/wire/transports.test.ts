import type { Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createTransport } from './create-transport.ts';
import { createCertificate } from './testing/certificate.ts';
import { type RawServer, startRawServer } from './testing/raw-server.ts';
import { type Connect, formatHost, requestHeaders, type Sending, type Transport } from './transport.ts';

const clock = { now: () => performance.now() };
const identity = createCertificate('model.example');
const protocols = [
  ['TCP', null],
  ['TLS', identity],
] as const;
const path = '/v1/chat/completions';

interface Seen {
  status: number | null;
  body: string;
  end: string | null;
  isReused: boolean;
  sending: Sending | null;
}

/** Sends one request and returns its result. */
function send(transport: Transport, body = '{}'): { seen: Seen; over: Promise<Seen> } {
  const seen: Seen = { status: null, body: '', end: null, isReused: false, sending: null };
  const over = new Promise<Seen>((resolve) => {
    const end = (how: string) => {
      seen.end = how;
      seen.isReused = seen.sending?.isReused ?? false;
      resolve(seen);
    };
    seen.sending = transport.send(transport.serialise(body), {
      onWritten: () => undefined,
      onHead: ({ status }) => {
        seen.status = status;
      },
      onBody: (bytes, start, stop) => {
        seen.body += bytes.toString('utf8', start, stop);
      },
      onRetry: () => undefined,
      onEnd: () => end('end'),
      onFailure: ({ kind }) => end(kind),
    });
  });
  return { seen, over };
}

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

async function serveAs(
  answer: (socket: Socket, request: number) => void,
  own: typeof identity | null,
): Promise<RawServer> {
  const server = await startRawServer(answer, own);
  cleanUp.push(server.close);
  return server;
}

const whole = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

describe.each(protocols)('over %s', (_name, own) => {
  const serve = (answer: Parameters<typeof startRawServer>[0]) => serveAs(answer, own);

  function open(connect: Connect, headers: Record<string, string> = {}): Transport {
    const transport = createTransport({ connect, path, headers }, clock, { ca: identity.cert });
    cleanUp.push(() => transport.close());
    return transport;
  }

  test('connects to the address, and sends the host name', async () => {
    const server = await serve((socket) => socket.write(whole));
    await send(open(server.connect, { Authorization: 'Bearer k' }), '{"a":"ü"}').over;
    const [request = ''] = server.requests;
    expect(request).toMatch(/^POST \/v1\/chat\/completions HTTP\/1.1\r\n/);
    expect(request.toLowerCase()).toContain(`\r\nhost: model.example:${server.connect.port}\r\n`);
    expect(request).toMatch(/\r\nauthorization: Bearer k\r\n/i);
    expect(request).toMatch(/\r\naccept-encoding: identity\r\n/i);
    expect(request).toMatch(/\r\ncontent-length: 10\r\n/i);
    expect(request.endsWith('\r\n\r\n{"a":"ü"}')).toBe(true);
  });

  test('reuses connections, and uses those opened in advance', async () => {
    const server = await serve((socket) => socket.write(whole));
    const transport = open(server.connect);
    expect(await transport.open(2)).toBe(2);
    const first = await Promise.all([send(transport).over, send(transport).over]);
    const second = await Promise.all([send(transport).over, send(transport).over]);
    expect(first).toMatchObject([{ body: 'ok', isReused: false }, { isReused: false }]);
    expect(second).toMatchObject([{ body: 'ok', isReused: true }, { isReused: true }]);
    expect(server.connections()).toBe(2);
    expect(transport.openedCount()).toBe(2);
    expect(transport.idleCount()).toBe(2);
  });

  test('reads a body that ends with the connection', async () => {
    const server = await serve((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nhello'));
    const transport = open(server.connect);
    expect(await send(transport).over).toMatchObject({ end: 'end', body: 'hello' });
    expect(await send(transport).over).toMatchObject({ end: 'end', isReused: false });
  });

  test('does not follow a redirect', async () => {
    const server = await serve((socket) =>
      socket.write('HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n'),
    );
    expect(await send(open(server.connect)).over).toMatchObject({ end: 'end', status: 302 });
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    ['disconnected', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nok', 'end'],
    ['disconnected', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n', 'reset'],
    ['disconnected', '', 'end'],
    ['unreadable', '220 smtp.example ESMTP\r\n\r\n', 'stay'],
    ['unreadable', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n', 'stay'],
  ])('reports a response as %s: %j, then %s', async (kind, bytes, then) => {
    const server = await serve((socket) => {
      if (bytes !== '') socket.write(bytes);
      if (then === 'end') socket.end();
      if (then === 'reset') setTimeout(() => socket.resetAndDestroy(), 20);
    });
    expect(await send(open(server.connect)).over).toMatchObject({ end: kind });
  });

  test('reports nothing after an abort, and closes the connection', async () => {
    let closed = 0;
    const server = await serve((socket) => {
      socket.on('close', () => closed++);
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nok');
    });
    const transport = open(server.connect);
    const { seen } = send(transport);
    await expect.poll(() => seen.body).toBe('ok');
    seen.sending?.abort();
    await expect.poll(() => closed).toBe(1);
    expect(seen.end).toBeNull();
  });

  test('reports an error for a port without a listener', async () => {
    const server = await startRawServer(() => undefined, own);
    await server.close();
    const transport = open(server.connect);
    await expect(transport.open(3)).rejects.toThrow('ECONNREFUSED');
    expect(await send(transport).over).toMatchObject({ end: 'disconnected' });
  });
});

describe('headers', () => {
  const connect: Connect = { host: 'h', port: 80, address: '127.0.0.1', tls: false };

  test.each([
    [{ 'a b': '1' }],
    [{ a: '1\r\nx: 2' }],
    [{ Host: 'other' }],
    [{ 'Content-Length': '0' }],
    [{ 'Transfer-Encoding': 'chunked' }],
    [{ 'Accept-Encoding': 'gzip' }],
  ])('rejects %j, without its value', (headers) => {
    expect(() => requestHeaders({ connect, path, headers: { ...headers } })).toThrow(TypeError);
    expect(() => requestHeaders({ connect, path, headers: { 'x-key': 's3cret\n' } })).toThrow(/^((?!s3cret)[\s\S])*$/);
  });

  test.each(['v1', '/a b', '/a\r\nx: y', ''])('rejects the path %j', (odd) => {
    expect(() => requestHeaders({ connect, path: odd, headers: {} })).toThrow(TypeError);
  });

  test.each([
    [{ host: 'h', port: 80, tls: false }, 'h'],
    [{ host: 'h', port: 8000, tls: false }, 'h:8000'],
    [{ host: 'h', port: 443, tls: true }, 'h'],
    [{ host: '::1', port: 80, tls: false }, '[::1]'],
  ])('formats %j as the host %s', (given, host) => {
    expect(formatHost({ ...connect, ...given })).toBe(host);
  });
});
