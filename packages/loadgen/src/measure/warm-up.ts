import { createServer, type Socket } from 'node:net';
import { createTransport } from '../wire/create-transport.ts';
import type { Target } from '../wire/transport.ts';
import { createControl } from './control.ts';
import { Engine } from './engine.ts';
import { Meter } from './meter.ts';
import { packRequests } from './pack-requests.ts';
import { createTable } from './request-table.ts';
import { RunClock } from './run-clock.ts';

const connections = 8;
const requestsEach = 4;
const chunksEach = 150;
const timeoutMs = 5000;

const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';

function frame(data: string): Buffer {
  const event = `data: ${data}\n\n`;
  return Buffer.from(`${Buffer.byteLength(event).toString(16)}\r\n${event}\r\n`);
}

const chunkOf = (delta: object, finish: string | null) =>
  frame(JSON.stringify({ id: 'warm-up', model: 'none', choices: [{ index: 0, delta, finish_reason: finish }] }));
const token = chunkOf({ content: ' word' }, null);
const last = Buffer.concat([
  chunkOf({}, 'stop'),
  frame(JSON.stringify({ id: 'warm-up', choices: [], usage: { prompt_tokens: 1, completion_tokens: chunksEach } })),
  frame('[DONE]'),
  Buffer.from('0\r\n\r\n'),
]);

/** Streams an answer, one token a turn of the loop, so that reads come as they do from a server. */
function answer(socket: Socket): void {
  let sent = 0;
  socket.write(head);
  const step = () => {
    if (socket.destroyed) return;
    if (sent++ < chunksEach) {
      socket.write(token);
      setImmediate(step);
    } else socket.write(last);
  };
  step();
}

/**
 * Runs some load against a server within this thread, so that the code that measures is compiled before it measures
 * anybody. Without it the first answers of a run seem some tenths of a ms to 10 ms slower than they are.
 */
export async function warmUp(target: Target): Promise<void> {
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => socket.destroy());
    socket.on('data', () => answer(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the warm-up server has no port');
  const clock = new RunClock();
  const local = { ...target, connect: { host: '127.0.0.1', address: '127.0.0.1', port: address.port, tls: false } };
  // The same code as for the target, if without its TLS.
  const transport = await createTransport(local, clock, target.connect.tls);
  try {
    await transport.open(connections);
    const rows = connections * requestsEach;
    const engine = new Engine(
      {
        thread: 0,
        pace: { mode: 'closed', slots: connections, staggerMs: 0, firstAtMs: 0 },
        limits: { duration_ms: null, outputTokens: null, request_timeout_ms: timeoutMs, stall_ms: timeoutMs },
        requests: packRequests(Array.from({ length: rows }, () => transport.serialise('{}'))),
        table: createTable(rows),
        control: createControl(1),
        expectedChunks: 0,
      },
      transport,
      clock,
      new Meter(),
    );
    await engine.run();
    engine.log.take(rows);
  } finally {
    transport.close();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
}
