import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

/** A server on 127.0.0.1 that sends arbitrary bytes. */
export interface RawServer extends AsyncDisposable {
  readonly port: number;
  /** The bytes received on each connection, in order of connection. */
  readonly received: string[];
}

/** @param answer called when the head of a request, or its first byte, has arrived */
export async function startRawServer(
  answer: (socket: Socket) => void,
  after: 'head' | 'first byte' = 'head',
): Promise<RawServer> {
  const received: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const index = received.push('') - 1;
    let answered = false;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (chunk) => {
      received[index] += chunk.toString('latin1');
      if (answered || (after === 'head' && !received[index]?.includes('\r\n\r\n'))) return;
      answered = true;
      answer(socket);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    received,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A complete response, after which the connection is closed. */
export const httpAnswer =
  (body: string | Uint8Array, head = 'HTTP/1.1 200 OK') =>
  (socket: Socket): void => {
    socket.write(`${head}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`);
    socket.end(body);
  };

/** Repeats a text until the other side disconnects. */
export const endless =
  (head: string, text: string) =>
  (socket: Socket): void => {
    socket.write(head);
    const more = () => {
      while (!socket.destroyed && socket.write(text));
    };
    socket.on('drain', more);
    more();
  };
