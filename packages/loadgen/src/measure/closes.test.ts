import type { Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { doubtsOf } from '../points/doubts.ts';
import type { MeasuredPoint } from '../points/measure-point.ts';
import { type ReportedSystem, toNativeReport } from '../points/native-report.ts';
import { type RawServer, startRawServer } from '../wire/testing/raw-server.ts';
import { measureLoad } from './measure-load.ts';
import { summariseLoad } from './records/summarise-load.ts';
import { measureHere } from './testing/measure-here.ts';
import { countOutcomes, planFor } from './testing/plans.ts';

let server: RawServer | null = null;
afterEach(async () => {
  await server?.close();
});

const event = (data: object | string) => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
const body = [
  ...Array.from({ length: 4 }, () => event({ choices: [{ index: 0, delta: { content: ' w' } }] })),
  event({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 4 } }),
  event('[DONE]'),
].join('');
const answer = `HTTP/1.1 200 OK\r\nconnection: keep-alive\r\ncontent-type: text/event-stream\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

/** Like llama.cpp's server: it sends keep-alive, and closes the connection at the end of the stream. */
function answerAndClose(socket: Socket): void {
  socket.write(answer);
  setImmediate(() => socket.end());
}

test.each([1, 4, 8])('loses no request if a server closes after each stream, %i in flight', async (concurrency) => {
  server = await startRawServer(answerAndClose);
  const plan = planFor(server.connect.port, 500, { pace: { mode: 'closed', concurrency } });
  const record = await measureHere(plan);
  expect(countOutcomes(record)).toEqual({ ok: 500 });
  expect(record.requests.every(({ output_tokens, chunk_count }) => output_tokens === 4 && chunk_count === 4)).toBe(
    true,
  );
  const summary = summariseLoad(record);
  expect(summary.retried).toBe(record.requests.filter(({ retried }) => retried).length);
  // Later requests get new connections.
  expect(summary.retried).toBeLessThan(8 * concurrency + 8);
});

test('reports that a server closes each connection after its response', async () => {
  server = await startRawServer((socket) => {
    socket.write(answer);
    socket.removeAllListeners('data');
    socket.once('data', () => socket.resetAndDestroy());
  });
  const record = await measureHere(planFor(server.connect.port, 20, { pace: { mode: 'closed', concurrency: 1 } }));
  const summary = summariseLoad(record);
  expect(summary.retried).toBe(4);
  const words = doubtsOf({ record, summary, length: null, cut: null, notes: [] }).join();
  expect(words).toContain(
    'the server closes each connection after its response: 20 were opened for 20 requests, and 4 requests were sent twice',
  );
});

test('opens a connection for each request of later points, and reports it', async () => {
  server = await startRawServer((socket) => {
    socket.write(answer);
    socket.removeAllListeners('data');
    socket.once('data', () => socket.resetAndDestroy());
  });
  const plan = planFor(server.connect.port, 20, { pace: { mode: 'closed', concurrency: 1 } });
  const [retried, notes]: [number[], string[]] = [[], []];
  for (let point = 0; point < 2; point++) {
    const record = await measureLoad({ ...plan, warmsUp: false });
    const summary = summariseLoad(record);
    retried.push(summary.retried);
    notes.push(doubtsOf({ record, summary, length: null, cut: null, notes: [] }).join());
  }
  expect(retried).toEqual([4, 0]);
  expect(notes[1]).toContain(
    'the server keeps no connection open after a response: 20 were opened for 20 requests; TTFT includes the time to open those that were not open at the start',
  );
});

test.each([1, 3])(
  'sends no measured request twice after a warm-up of %i, which shows the closes',
  async (concurrency) => {
    server = await startRawServer(answerAndClose);
    const pace = { mode: 'closed', concurrency } as const;
    const { connect } = server;
    await measureLoad(planFor(connect.port, concurrency, { pace, isWarmup: true }));
    const record = await measureLoad(planFor(connect.port, 20, { pace }));
    expect(countOutcomes(record)).toEqual({ ok: 20 });
    expect(summariseLoad(record).retried).toBe(0);
    expect(server.requests).toHaveLength(concurrency + 20);
  },
);

test('keeps using the connections of a server that kept those of the warm-up', async () => {
  server = await startRawServer((socket) => socket.write(answer));
  const pace = { mode: 'closed', concurrency: 2 } as const;
  await measureLoad(planFor(server.connect.port, 2, { pace, isWarmup: true }));
  const record = await measureLoad(planFor(server.connect.port, 20, { pace }));
  expect(record.requests.filter(({ reused_connection }) => reused_connection)).toHaveLength(18);
});

test('measures a retried request from its first sending, and records the retry', async () => {
  const waitMs = 60;
  server = await startRawServer((socket, request) => {
    if (request === 1) setTimeout(() => socket.end(), waitMs);
    else socket.write(answer);
  });
  const record = await measureHere(planFor(server.connect.port, 2, { pace: { mode: 'closed', concurrency: 1 } }));
  const [first, second] = record.requests;
  expect([first?.retried, second?.retried]).toEqual([false, true]);
  expect(second).toMatchObject({ outcome: 'ok', reused_connection: false });
  expect((second?.chunks_ms[0] ?? 0) - (second?.started_ms ?? 0)).toBeGreaterThan(waitMs - 1);
  const summary = summariseLoad(record);
  expect(summary.retried).toBe(1);
  const point = { record, summary, length: null, cut: null, notes: [] };
  expect(doubtsOf(point).join()).toContain('1 of 2 requests were sent twice');
  const planned = {
    scenario: { id: 'chatbot', inputTokens: 1, outputTokens: 1 },
    load: { mode: 'concurrency', level: 1 },
  };
  const measured = { ...point, point: planned, goodput: null, askedTokens: [] } as unknown as MeasuredPoint; // the report reads no more
  const [result] = toNativeReport(measured, { model: 'm' } as ReportedSystem).results as { generator: object }[];
  expect(result?.generator).toMatchObject({ retried: 1 });
});
