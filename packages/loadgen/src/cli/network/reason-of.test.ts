import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer, request } from 'node:https';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, expect, test, vi } from 'vitest';
import { createCertificate } from '../../wire/testing/certificate.ts';
import { reasonAt, reasonOf } from './reason-of.ts';
import { reachFault, responseLimits_ms } from './response-limits.ts';

const servers: Server[] = [];
async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
afterAll(() => servers.map((server) => server.close()));

/** Why a request to a server with this certificate fails, although its issuer is trusted. */
async function reasonWith(certificate: { key: string; cert: string }): Promise<string> {
  const port = await listen(createHttpsServer(certificate, (_, response) => response.end()));
  const error = await new Promise((resolve) => {
    const options = { host: '127.0.0.1', port, servername: 'a.example', ca: certificate.cert };
    request(options).once('error', resolve).end();
  });
  return reasonOf(error);
}

test('states how to fix a certificate', async () => {
  expect(await reasonWith(createCertificate('a.example', '210101'))).toBe(
    'its certificate has expired. Renew it on the server',
  );
  expect(await reasonWith(createCertificate('b.example'))).toBe(
    'its certificate is for another host: b.example. Use a host name of the certificate',
  );
});

test('states that the server closed the connection', async () => {
  const url = new URL(`http://127.0.0.1:${await listen(createHttpServer((asked) => asked.socket.destroy()))}`);
  const reason = await fetch(url).then(String, (error: unknown) => reasonAt(url, error));
  expect(reason).toMatch(/^the server closed the connection without a response\. Check the port/);
});

// The client would wait for a minute or longer before it reports anything.
test('a server that accepts connections and never responds is found within 12 s', async () => {
  const port = await listen(createServer((socket) => socket.on('error', () => {})));
  const real = AbortSignal.timeout;
  const limits: number[] = [];
  // A hundredth of each time.
  const spy = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    limits.push(ms);
    return real.call(AbortSignal, ms / 100);
  });
  try {
    expect(await reachFault(new URL(`http://127.0.0.1:${port}/healthz`))).toMatch(
      /^it accepts connections, but did not respond in time\. Check the port/,
    );
  } finally {
    spy.mockRestore();
  }
  expect(limits).toEqual([responseLimits_ms.quick]);
  expect(responseLimits_ms.quick).toBeLessThanOrEqual(12_000);
});

test('a server that responds with any status is reached', async () => {
  const port = await listen(createHttpServer((_, response) => response.writeHead(404).end()));
  expect(await reachFault(new URL(`http://127.0.0.1:${port}/healthz`))).toBeNull();
});
