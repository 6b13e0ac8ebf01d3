import type { AddressInfo } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTransport } from './create-transport.ts';
import type { TlsTrust } from './socket-connection.ts';
import { createCertificate } from './testing/certificate.ts';
import type { Connect, Transport } from './transport.ts';

const { key, cert } = createCertificate('model.example');
const names: (string | false | null)[] = [];
const answerOk = (socket: TLSSocket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
let answer = answerOk;
let server: ReturnType<typeof createServer>;
let transport: Transport | null = null;

beforeEach(async () => {
  names.length = 0;
  answer = answerOk;
  server = createServer({ key, cert, ALPNProtocols: ['h2', 'http/1.1'] }, (socket) => {
    names.push(socket.servername);
    socket.on('error', () => socket.destroy());
    socket.on('data', () => answer(socket));
  });
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  transport?.close();
  await new Promise<void>((resolve) => server.close(() => resolve()));
});

function open(over: Partial<Connect> = {}, trust: TlsTrust = { ca: cert }): Transport {
  const { port } = server.address() as AddressInfo;
  const connect = { host: 'model.example', port, address: '127.0.0.1', tls: true, ...over };
  transport = createTransport({ connect, path: '/', headers: {} }, { now: () => performance.now() }, trust);
  return transport;
}

function send(over: Transport): Promise<string> {
  let body = '';
  return new Promise((resolve) => {
    over.send(over.serialise('{}'), {
      onWritten: () => undefined,
      onRetry: () => undefined,
      onHead: () => undefined,
      onBody: (bytes, start, end) => {
        body += bytes.toString('utf8', start, end);
      },
      onEnd: () => resolve(body),
      onFailure: ({ detail }) => resolve(detail),
    });
  });
}

describe('over TLS', () => {
  test('the certificate is verified for the name, not the address', async () => {
    expect(await send(open())).toBe('ok');
    expect(names).toEqual(['model.example']);
  });

  test('connections are opened in advance, and reused', async () => {
    const opened = open();
    expect(await opened.open(1)).toBe(1);
    expect([await send(opened), await send(opened)]).toEqual(['ok', 'ok']);
    expect(names).toHaveLength(1);
    expect(opened.openedCount()).toBe(1);
  });

  test('a request on a closed connection is retried, but not after a byte of the response', async () => {
    answer = (socket) => {
      answerOk(socket);
      setImmediate(() => socket.end());
    };
    const opened = open();
    await opened.open(1);
    const bodies: string[] = [];
    for (let request = 0; request < 24; request++) bodies.push(await send(opened));
    expect(bodies).toEqual(Array(24).fill('ok'));
    const before = names.length;
    answer = (socket) => void socket.end('HTTP/1.1 20');
    // The first of the two may use the connection that the previous response closed.
    expect([await send(opened), await send(opened)]).toEqual(Array(2).fill('the server closed the connection'));
    expect(names.length - before).toBe(2);
  });

  test('a separate server name is used if given', async () => {
    expect(await send(open({ host: 'other.example', servername: 'model.example' }))).toBe('ok');
    expect(names).toEqual(['model.example']);
  });

  test.each<[string, Partial<Connect>, TlsTrust, string]>([
    ['another name', { host: 'other.example' }, { ca: cert }, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['an address without a name', { host: '127.0.0.1' }, { ca: cert }, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['an untrusted issuer', {}, {}, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ])('a certificate of %s is rejected', async (_whose, over, trust, code) => {
    const opened = open(over, trust);
    await expect(opened.open(1)).rejects.toMatchObject({ code });
    expect(await send(opened)).toBe(code);
  });
});
