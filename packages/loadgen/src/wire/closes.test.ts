import type { Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createTransport } from './create-transport.ts';
import { createCertificate } from './testing/certificate.ts';
import { type RawServer, startRawServer } from './testing/raw-server.ts';
import type { Sending, Transport } from './transport.ts';

// All ways in which a server can close a connection after a response with keep-alive.

const clock = { now: () => performance.now() };
const identity = createCertificate('model.example');
const protocols = [
  ['TCP', null],
  ['TLS', identity],
] as const;

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

const keptAlive = 'HTTP/1.1 200 OK\r\nconnection: keep-alive\r\ncontent-length: 2\r\n\r\nok';

interface Ended {
  how: string;
  body: string;
  retries: number;
  isReused: boolean;
}

function send(transport: Transport): Promise<Ended> {
  return new Promise((resolve) => {
    const seen = { body: '', retries: 0 };
    let sending: Sending | null = null;
    // Like the engine, starts no request within the callback.
    const end = (how: string) => setImmediate(() => resolve({ ...seen, how, isReused: sending?.isReused ?? false }));
    sending = transport.send(transport.serialise('{}'), {
      onWritten: () => undefined,
      onHead: () => undefined,
      onBody: (bytes, start, stop) => {
        seen.body += bytes.toString('utf8', start, stop);
      },
      onRetry: () => {
        seen.retries++;
      },
      onEnd: () => end('end'),
      onFailure: ({ kind }) => end(kind),
    });
  });
}

/** Sequential requests in the given number of lanes. */
async function sendAll(transport: Transport, requests: number, lanes: number): Promise<Ended[]> {
  const ended: Ended[] = [];
  let left = requests;
  const lane = async () => {
    while (left-- > 0) ended.push(await send(transport));
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return ended;
}

describe.each(protocols)('over %s', (_name, own) => {
  const serve = (answer: Parameters<typeof startRawServer>[0]) => serveAs(answer, own);

  function open({ connect }: RawServer): Transport {
    const target = { connect, path: '/v1/chat/completions', headers: {} };
    const transport = createTransport(target, clock, { ca: identity.cert });
    cleanUp.push(() => transport.close());
    return transport;
  }

  test.each<[string, (socket: Socket) => void]>([
    ['FIN with the response', (socket) => socket.end(keptAlive)],
    [
      'FIN just after the response',
      (socket) => {
        socket.write(keptAlive);
        setImmediate(() => socket.end());
      },
    ],
    [
      'RST just after the response',
      (socket) => {
        socket.write(keptAlive);
        setImmediate(() => socket.resetAndDestroy());
      },
    ],
    [
      'RST once the next request has arrived',
      (socket) => {
        socket.write(keptAlive);
        socket.removeAllListeners('data');
        socket.once('data', () => socket.resetAndDestroy());
      },
    ],
    [
      "FIN of the server's side only, with the next request read and never answered",
      (socket) => {
        socket.allowHalfOpen = true;
        socket.write(keptAlive);
        socket.removeAllListeners('data');
        socket.resume();
        setImmediate(() => socket.end());
      },
    ],
    ['connection: close', (socket) => socket.end(keptAlive.replace('keep-alive', 'close'))],
  ])('loses no request with %s', async (_close, answer) => {
    const server = await serve(answer);
    for (const lanes of [1, 4, 8]) {
      const ended = await sendAll(open(server), 40, lanes);
      expect(ended.filter(({ how, body }) => how === 'end' && body === 'ok')).toHaveLength(40);
      expect(Math.max(...ended.map(({ retries }) => retries))).toBeLessThanOrEqual(1);
      expect(ended.filter(({ retries, isReused }) => retries > 0 && isReused)).toEqual([]);
    }
  });

  test('uses connections once if the server closes them after their first response', async () => {
    const server = await serve((socket) => {
      socket.write(keptAlive);
      setImmediate(() => socket.end());
    });
    for (const lanes of [1, 8]) {
      const ended = await sendAll(open(server), 60, lanes);
      expect(ended.filter(({ how }) => how === 'end')).toHaveLength(60);
      // Four connections in a row, and those in flight meanwhile.
      expect(ended.filter(({ retries }) => retries > 0).length).toBeLessThanOrEqual(4 + 2 * lanes);
      expect(ended.slice(-20).filter(({ retries, isReused }) => retries > 0 || isReused)).toEqual([]);
    }
  });

  test('keeps using connections if the server closes them after some requests', async () => {
    const answers = new Map<Socket, number>();
    const server = await serve((socket) => {
      const count = (answers.get(socket) ?? 0) + 1;
      answers.set(socket, count);
      socket.write(keptAlive);
      if (count === 3) setImmediate(() => socket.end());
    });
    const ended = await sendAll(open(server), 60, 4);
    expect(ended.filter(({ how }) => how === 'end')).toHaveLength(60);
    expect(server.connections()).toBeLessThanOrEqual(60 / 3 + 4);
  });

  test('sends no request twice after connection: close', async () => {
    const server = await serve((socket) => socket.end(keptAlive.replace('keep-alive', 'close')));
    const ended = await sendAll(open(server), 24, 4);
    expect(ended.filter(({ how, retries }) => how === 'end' && retries === 0)).toHaveLength(24);
    expect(server.requests).toHaveLength(24);
  });

  test('retries a request once', async () => {
    const server = await serve((socket) => socket.end());
    expect(await send(open(server))).toMatchObject({ how: 'disconnected', retries: 1 });
    expect(server.requests).toHaveLength(2);
  });

  test.each(['H', 'HTTP/1.1 200 OK\r\n', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\no'])(
    'does not retry a request after %j of its response',
    async (bytes) => {
      const server = await serve((socket, request) => {
        if (request === 0) socket.write(keptAlive);
        else socket.end(bytes);
      });
      const transport = open(server);
      await send(transport);
      expect(await send(transport)).toMatchObject({ how: 'disconnected', retries: 0 });
      expect(server.requests).toHaveLength(2);
    },
  );
});
