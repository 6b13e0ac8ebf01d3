import { type AddressInfo, createServer, type Socket } from 'node:net';
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

/** A server that answers each request with exactly the bytes that `answer` writes. */
export async function startRawServer(answer: (socket: Socket, request: number) => void): Promise<RawServer> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer({ noDelay: true }, (socket) => {
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
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    connect: { host: 'model.example', port, address: '127.0.0.1', tls: false },
    requests,
    connections: () => connections,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
