import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createPlainServer, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { createAnswerReader, type Whole } from './answer-reader.ts';
import { openConnection, toBytes } from './http-connection.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function serve(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => void server.close().closeAllConnections());
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return { url, connections: () => connections };
}

/** A server that responds to every request with these pieces, in sequence. */
async function servePieces(pieces: readonly string[], isEnded: boolean) {
  const server = createPlainServer((socket: Socket) => {
    socket.once('data', async () => {
      for (const piece of pieces) await new Promise((resolve) => socket.write(piece, () => setImmediate(resolve)));
      if (isEnded) socket.end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => void server.close());
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

function open(url: URL, wanted: number | null) {
  const connection = openConnection(url, wanted);
  closing.push(() => connection.close());
  return { ask: (path: string, more = {}) => connection.ask(toBytes(url, { path, ...more })) };
}

const readBody = async (incoming: IncomingMessage) => (await incoming.setEncoding('utf8').toArray()).join('');

it('uses one connection for responses with every framing', async () => {
  const long = 'x'.repeat(300_000);
  const { url, connections } = await serve((incoming, outgoing) => {
    const answers: Record<string, () => void> = {
      '/sized': () => outgoing.writeHead(200, { 'content-length': 5 }).end('hello'),
      '/long': () => outgoing.writeHead(200, { 'content-length': long.length }).end(long),
      '/empty': () => outgoing.writeHead(200, { 'content-length': 0 }).end(),
      '/chunked': () => {
        outgoing.write('one');
        setImmediate(() => {
          outgoing.write(long);
          setImmediate(() => outgoing.end('three'));
        });
      },
      '/trailed': () => {
        outgoing.writeHead(200, { trailer: 'x-sum' }).write('some');
        outgoing.addTrailers({ 'x-sum': '4' });
        outgoing.end();
      },
      '/early': () => {
        outgoing.writeEarlyHints({ link: '</a.css>; rel=preload' });
        outgoing.end('after the hints');
      },
    };
    answers[incoming.url ?? '']?.();
  });
  const { ask } = open(url, 200);
  for (const path of ['/sized', '/long', '/empty', '/chunked', '/trailed', '/early', '/sized']) await ask(path);
  expect(connections()).toBe(1);
});

it('reads no body for 204 and 304, although they state a length', async () => {
  const { url } = await serve((incoming, outgoing) => {
    outgoing.writeHead(incoming.url === '/204' ? 204 : 304, incoming.url === '/304' ? { 'content-length': 10 } : {});
    outgoing.end();
  });
  await open(url, 204).ask('/204');
  const { ask } = open(url, 304);
  await ask('/304');
  await ask('/304');
});

it('sends headers and a body', async () => {
  const seen: unknown[] = [];
  const { url } = await serve(async (incoming, outgoing) => {
    seen.push([incoming.method, incoming.url, incoming.headers['x-key'], await readBody(incoming)]);
    outgoing.writeHead(201).end('{}');
  });
  await open(url, 201).ask('/things?a=b', { headers: { 'x-key': 'k' }, body: 'später' });
  expect(seen).toEqual([['POST', '/things?a=b', 'k', 'später']]);
});

it('fails with another status, and continues', async () => {
  const { url, connections } = await serve((incoming, outgoing) => {
    outgoing.writeHead(incoming.url === '/bad' ? 503 : 200);
    outgoing.write('the reason, ');
    setImmediate(() => outgoing.end('in two pieces'));
  });
  const { ask } = open(url, 200);
  await expect(ask('/bad')).rejects.toThrow('503 the reason, in two pieces');
  await ask('/good');
  await open(url, null).ask('/bad');
  expect(connections()).toBe(2);
});

it('opens another connection if the server closes one', async () => {
  const { url, connections } = await serve((_, outgoing) => {
    outgoing.writeHead(200, { connection: 'close' }).end('bye');
  });
  const { ask } = open(url, 200);
  for (let turn = 0; turn < 3; turn += 1) await ask('/');
  expect(connections()).toBe(3);
});

it('fails if no server listens', async () => {
  const { url } = await serve(() => {});
  closing.pop()?.();
  await expect(open(url, 200).ask('/')).rejects.toThrow('ECONNREFUSED');
});

it.each([
  ['a response that ends too early', ['HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf'], 'before the answer did'],
  [
    'chunks without a final one',
    ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n'],
    'before the answer',
  ],
  [
    'a chunk that is longer than stated',
    ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhalf\r\n0\r\n\r\n'],
    'a chunk',
  ],
  ['an invalid header section', ['what is this\r\n\r\n'], 'is no answer'],
  ['bytes after the response', ['HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab'], '1 bytes follow'],
  ['an invalid length', ['HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n'], 'no length'],
  ['no response', [], 'before the answer did'],
])('fails with %s', async (_, pieces, words) => {
  await expect(open(await servePieces(pieces, true), 200).ask('/')).rejects.toThrow(words);
});

it('reads a response without a length until the connection ends', async () => {
  await open(await servePieces(['HTTP/1.1 200 OK\r\n\r\nsome', ' more'], true), 200).ask('/');
});

it('reads the same, regardless of how the bytes are split', () => {
  const answers: [text: string, expected: Whole][] = [
    ['HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabc', { status: 200, text: '', isLast: false }],
    [
      'HTTP/1.1 404 Not Found\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc',
      { status: 404, text: 'abc', isLast: true },
    ],
    [
      'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 500 No\r\ntransfer-encoding: chunked\r\n\r\n2;a=b\r\nab\r\nA\r\n0123456789\r\n0\r\nx: y\r\n\r\n',
      { status: 500, text: 'ab0123456789', isLast: false },
    ],
    ['HTTP/1.1 304 Not Modified\r\ncontent-length: 7\r\n\r\n', { status: 304, text: '', isLast: false }],
  ];
  for (const [text, { text: body, ...expected }] of answers) {
    for (let size = 1; size <= text.length; size += 1) {
      const reader = createAnswerReader(200);
      // The second time, the same reader reads the next response.
      for (const _ of [1, 2]) {
        const seen: Whole[] = [];
        for (let at = 0; at < text.length; at += size) {
          const whole = reader.read(Buffer.from(text.slice(at, at + size)));
          if (whole !== null) seen.push(whole);
        }
        expect(seen, `pieces of ${size}`).toEqual([{ ...expected, text: expected.status === 304 ? '' : body }]);
      }
    }
  }
});
