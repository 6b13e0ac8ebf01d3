import { createServer, type Socket } from 'node:net';
import { createTransport } from '../wire/create-transport.ts';
import type { Target } from '../wire/transport.ts';
import { createControl } from './control.ts';
import type { PaceShare } from './engine.ts';
import { prepareShare } from './pacers/run-share.ts';
import { packRequests } from './records/pack-requests.ts';
import { createTable, openTable, outcomeIndex } from './records/request-table.ts';
import type { ShareJob } from './thread-messages.ts';

/** Each with different object shapes: code compiled for a single shape would be deoptimized at the next one. */
const rounds = 3;
/** Few: what is done once a turn of the loop is to be compiled as well as what is done once a read. */
const connections = 4;
/** Of a round: enough for what reads tokens, and for what begins and ends requests. */
const requests = 2048;
const chunksEach = 40;
/** For the threads of the compiler, and for a beginning like the real one. */
const leadMs = 5;
/** Gaps of an open loop: mostly too short for a timer, every so often long enough. */
const openGapMs = 0.2;
const openPauseMs = 4;
const openPauseEvery = 32;
const timeoutMs = 5000;

const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';

function frame(data: object | string): Buffer {
  const event = `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
  return Buffer.from(`${Buffer.byteLength(event).toString(16)}\r\n${event}\r\n`);
}

/**
 * A response as a list of writes: mostly one chunk each, sometimes one with escapes, or parts of several.
 * The objects of each server have a different key, because real servers differ in theirs.
 */
function answerOf(key: string): Buffer[] {
  const own = { [key]: null };
  const chunkOf = (delta: object, finish: string | null) =>
    frame({
      ...own,
      id: 'warm-up',
      choices: [{ ...own, index: 0, delta: { ...own, ...delta }, finish_reason: finish }],
    });
  const usage = { ...own, prompt_tokens: 1, completion_tokens: chunksEach };
  const plain = chunkOf({ content: ' word' }, null);
  const escaped = chunkOf({ content: ' "\n\u0001' }, null);
  const writes = [
    Buffer.concat([Buffer.from(head), chunkOf({ role: 'assistant', content: '' }, null)]),
    ...Array.from({ length: chunksEach - 1 }, (_, place) => (place % 16 === 0 ? escaped : plain)),
    Buffer.concat([
      chunkOf({ content: '.' }, 'stop'),
      frame({ ...own, id: 'warm-up', choices: [], usage }),
      frame('[DONE]'),
      Buffer.from('0\r\n\r\n'),
    ]),
  ];
  for (let at = 8; at + 3 < writes.length; at += 16)
    writes.splice(at, 3, Buffer.concat([plain, plain.subarray(0, at)]), Buffer.concat([plain.subarray(at), plain]));
  return writes;
}

const answers = ['a', 'b', 'c', 'd', 'e', 'f'].map(answerOf);

/** Streams an answer, one write a turn of the loop, so that reads come as they do from a server. */
function answer(socket: Socket, writes: readonly Buffer[]): void {
  let next = 0;
  const step = () => {
    const bytes = writes[next++];
    if (bytes === undefined || socket.destroyed) return;
    socket.write(bytes);
    setImmediate(step);
  };
  step();
}

/** The kind of pace that is to be measured, as fast as it goes. */
function paceLike(pace: PaceShare): PaceShare {
  if (pace.mode === 'closed') return { mode: 'closed', slots: connections, staggerMs: 0, firstAtMs: 0 };
  const due = new Float64Array(requests).map(
    (_, place) => place * openGapMs + Math.floor(place / openPauseEvery) * openPauseMs,
  );
  return { mode: 'open', due, first: 0, step: 1, cap: connections, isHybrid: pace.isHybrid };
}

/** A job like the one that follows, cloned as that one was. */
function jobLike(job: ShareJob, local: Target, serialise: (body: string) => Uint8Array): ShareJob {
  return structuredClone({
    ...job,
    target: local,
    pace: paceLike(job.pace),
    limits: {
      ...job.limits,
      duration_ms: null,
      outputTokens: null,
      request_timeout_ms: timeoutMs,
      stall_ms: timeoutMs,
    },
    requests: packRequests(Array.from({ length: requests }, () => serialise('{}'))),
    rows: requests,
    turns: null,
    hasDocuments: false,
    table: createTable(requests).memory,
    control: createControl(1).memory,
    expectedChunks: 0,
    thread: 0,
    connections,
    usesConnectionsOnce: false,
    watchesCloses: false,
  });
}

/**
 * Runs some load against a server within this thread, in the same way as the job that follows. It compiles the
 * measuring code and gives its objects their final shapes before it measures a server. Without it, the first responses
 * of a run seem 0.1 to 10 ms slower than they are. Takes one to two seconds. Returns the number of complete responses.
 */
export async function warmUp(job: ShareJob): Promise<{ answered: number; whole: number }> {
  let [answered, whole] = [0, 0];
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => socket.destroy());
    socket.on('data', () => {
      answer(socket, answers[answered++ % answers.length] ?? []);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the warm-up server has no port');
  const connect = { host: '127.0.0.1', address: '127.0.0.1', port: address.port, tls: false };
  const local = { ...job.target, connect };
  const { serialise } = createTransport(local, { now: () => 0 });
  try {
    for (let round = 0; round < rounds; round++) {
      const like = jobLike(job, local, serialise);
      const share = await prepareShare(like);
      await share.run(Number(process.hrtime.bigint()) / 1e6 + leadMs);
      const { outcome, chunks } = openTable(like.table, like.rows).counts;
      for (let row = 0; row < like.rows; row++)
        if (outcome[row] === outcomeIndex.ok && chunks[row] === chunksEach) whole++;
    }
    return { answered, whole };
  } finally {
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
}
