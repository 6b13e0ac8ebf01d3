import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { createCertificate } from '../../wire/testing/certificate.ts';
import { reasonAt } from './reason-of.ts';
import { missingTls, noTls, schemeFault, silent, withTls } from './scheme.ts';

const servers: Server[] = [];
async function listen(server: Server): Promise<string> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}
afterAll(() => servers.map((server) => server.close()));

/** Responds to HTTP only. `onOther` is what it does with a TLS handshake. */
const plainServer = (onOther: 'waits' | 'closes') =>
  createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (bytes) => {
      if (bytes.toString('latin1').startsWith('GET '))
        socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n');
      else if (onOther === 'closes') socket.end();
    });
  });

test.each([
  ['waits for the rest of a handshake, as llama.cpp does', plainServer('waits')],
  ['closes the connection', plainServer('closes')],
  ['responds with 400, as Node does', createHttpServer((_, response) => response.end())],
])('finds that a port does not use TLS if the server %s', async (_, server) => {
  expect(await missingTls(new URL(`https://${await listen(server)}/v1`))).toBe(noTls);
});

test('finds that a port responds to neither TLS nor HTTP before a request would fail', async () => {
  const host = await listen(createServer((socket) => socket.on('error', () => {})));
  expect(await missingTls(new URL(`https://${host}`))).toBe(silent);
  const reading = fetch(`http://${host}`, { signal: AbortSignal.timeout(10) });
  expect(await reading.then(String, (error: unknown) => reasonAt(new URL(`http://${host}`), error))).toMatch(
    /^it accepts connections, but did not respond in time/,
  );
});

test('finds that a slow port uses TLS', async () => {
  const secure = createHttpsServer(createCertificate('a.example'), (_, response) => response.end());
  const inner = await listen(secure);
  // Forwards a connection after the wait for a response to HTTP has begun.
  const slow = createServer((socket) => {
    socket.on('error', () => {});
    setTimeout(() => {
      const target = connect(Number(inner.split(':')[1]), '127.0.0.1').on('error', () => {});
      socket.pipe(target).pipe(socket);
    }, 1500);
  });
  expect(await missingTls(new URL(`https://${await listen(slow)}`))).toBeNull();
});

test('finds that a port uses TLS, also from the error of a request', async () => {
  const host = await listen(createHttpsServer(createCertificate('a.example'), (_, response) => response.end()));
  const url = new URL(`http://${host}`);
  expect(await schemeFault(url)).toBe(withTls);
  expect(await schemeFault(new URL(`https://${host}`))).toBeNull();
  const reasonFor = (address: URL) => fetch(address).then(String, (error: unknown) => reasonAt(address, error));
  expect(await reasonFor(url)).toBe(withTls);
  expect(await reasonFor(new URL(`https://${host}`))).toMatch(/^its certificate is not trusted .*NODE_EXTRA_CA_CERTS/);
});

test('finds nothing at a port without a server, and asks nothing before a request over http', async () => {
  expect(await missingTls(new URL('https://127.0.0.1:1024'))).toBeNull();
  expect(await missingTls(new URL('http://127.0.0.1:1024'))).toBeNull();
});
