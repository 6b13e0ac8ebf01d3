import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import type { Connect } from '../transport.ts';

export interface RawServer {
  connect: Connect;
  /** Requests as they came, in order. */
  requests: string[];
  /** Connections that were made. */
  connections(): number;
  close(): Promise<void>;
}

/** True once a request is whole, by its Content-Length. */
function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(text.slice(0, end))?.[1] ?? 0);
  return Buffer.byteLength(text.slice(end + 4)) >= length;
}

/** A key and a certificate. */
export interface Identity {
  key: string;
  cert: string;
}

/** A TLS server whose sockets can be reset as those of TCP. */
function createSecureServer(identity: Identity, onSocket: (socket: Socket) => void) {
  const raw = new Map<number | undefined, Socket>();
  const server = createTlsServer({ ...identity, noDelay: true }, (socket: TLSSocket) => {
    socket.resetAndDestroy = () => {
      raw.get(socket.remotePort)?.resetAndDestroy();
      return socket;
    };
    onSocket(socket);
  });
  server.on('connection', (socket: Socket) => raw.set(socket.remotePort, socket));
  server.on('tlsClientError', () => undefined);
  return server;
}

/** A server that answers each request with exactly the bytes that `answer` writes; over TLS with an identity. */
export async function startRawServer(
  answer: (socket: Socket, request: number) => void,
  identity: Identity | null = null,
): Promise<RawServer> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const onSocket = (socket: Socket) => {
    connections++;
    sockets.add(socket);
    let text = '';
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    socket.on('data', (bytes) => {
      text += bytes.toString();
      if (!isWhole(text)) return;
      requests.push(text);
      text = '';
      answer(socket, requests.length - 1);
    });
  };
  const server = identity === null ? createServer({ noDelay: true }, onSocket) : createSecureServer(identity, onSocket);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    connect: { host: 'model.example', port, address: '127.0.0.1', tls: identity !== null },
    requests,
    connections: () => connections,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
