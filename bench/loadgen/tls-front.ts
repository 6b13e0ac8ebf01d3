// A TCP or TLS server in front of the server with known timing, in a separate process. It prints its port.
import { writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { createCertificate } from '../../packages/loadgen/src/wire/testing/certificate.ts';

const { kind, port, certFile } = JSON.parse(process.argv[2] ?? '{}') as {
  kind: 'tcp' | 'tls';
  port: number;
  certFile: string;
};

/** Passes bytes on in both directions at once, without the machinery of streams. */
function forward(socket: Socket): void {
  const behind = connect({ host: '127.0.0.1', port, noDelay: true });
  for (const [from, to] of [
    [socket, behind],
    [behind, socket],
  ] as const) {
    from.on('data', (bytes) => to.write(bytes));
    from.on('error', () => to.destroy());
    from.on('close', () => to.destroy());
  }
}

const { key, cert } = createCertificate('mock.example');
writeFileSync(certFile, cert);
const server =
  kind === 'tls' ? createTlsServer({ key, cert, noDelay: true }, forward) : createServer({ noDelay: true }, forward);
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
