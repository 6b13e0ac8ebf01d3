import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

export interface Received {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A webhook receiver on the loopback address. */
export interface Receiver extends AsyncDisposable {
  readonly url: string;
  readonly received: Received[];
}

/** @param answer called with each message and its index */
export async function startReceiver(
  answer: (response: ServerResponse, index: number, request: IncomingMessage) => void,
): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request;
    const body = await text(request);
    const index = received.push({ method, path, headers, body }) - 1;
    answer(response, index, request);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}/hook`,
    received,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Responds with this status and no body. */
export const status =
  (code: number) =>
  (response: ServerResponse): void => {
    response.writeHead(code).end();
  };
