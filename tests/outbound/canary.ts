import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Certificate } from './certificate.ts';

export interface Hit {
  /** The case that was tested. */
  readonly during: string;
  /** The address that received the connection. */
  readonly address: string;
  readonly port: number;
}

/** Listens on all addresses and records every connection. */
export interface Canary {
  readonly hits: Hit[];
  during: string;
  /** True if it listens there now; false if this machine does not have the address. */
  listen(server: Server, port: number, host: string): Promise<number | null>;
  close(): Promise<void>;
}

export function createCanary(): Canary {
  const servers: Server[] = [];
  const sockets = new Set<Socket>();
  const canary: Canary = {
    hits: [],
    during: '',
    listen: async (server, port, host) => {
      server.on('connection', (socket: Socket) => {
        sockets.add(socket);
        socket.on('error', () => {});
        socket.once('close', () => sockets.delete(socket));
        const address = (socket.localAddress ?? '').replace(/^::ffff:(?=\d+\.)/, '');
        canary.hits.push({ during: canary.during, address, port: socket.localPort ?? 0 });
      });
      const failed = once(server, 'error').then(() => false);
      server.listen({ port, host });
      const listens = await Promise.race([once(server, 'listening').then(() => true), failed]);
      if (!listens) return null;
      servers.push(server);
      const address = server.address();
      return typeof address === 'object' ? (address?.port ?? null) : null;
    },
    close: async () => {
      for (const server of servers) server.close();
      for (const socket of sockets) socket.destroy();
      await Promise.all(servers.map((server) => once(server, 'close')));
    },
  };
  return canary;
}

function answer(req: IncomingMessage, res: ServerResponse): void {
  const url = new URL(req.url ?? '/', 'http://allowed.example');
  const [, action, status] = url.pathname.split('/');
  // Every request opens a new connection, also with clients that would reuse one.
  res.setHeader('connection', 'close');
  if (action === 'redirect') res.writeHead(Number(status), { location: url.searchParams.get('to') ?? '/' });
  if (action === 'refresh') res.setHeader('refresh', '0; url=http://127.0.0.1:8000/');
  if (action === 'alt-svc') res.setHeader('alt-svc', 'h2="127.0.0.1:8000"; ma=9, h3=":8000"');
  res.end('answered');
}

export const createWebServer = (): Server => createServer(answer);

export const createTlsWebServer = ({ key, cert }: Certificate): Server => createTlsServer({ key, cert }, answer);
