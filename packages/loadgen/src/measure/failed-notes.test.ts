import type { Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { doubtsOf } from '../points/doubts.ts';
import { lastFailureWithFix } from '../points/failure-words.ts';
import { type RawServer, startRawServer } from '../wire/testing/raw-server.ts';
import { summariseLoad } from './records/summarise-load.ts';
import { measureHere } from './testing/measure-here.ts';
import { planFor } from './testing/plans.ts';

let server: RawServer | null = null;
afterEach(async () => {
  await server?.close();
});

const refusal = JSON.stringify({ error: { message: 'the request exceeds the available context size' } });
const stream = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: ' w' } }] })}\n\ndata: [DONE]\n\n`;
const answerOf = (status: string, type: string, body: string) =>
  `HTTP/1.1 ${status}\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
const refuse = (socket: Socket) => socket.write(answerOf('400 Bad Request', 'application/json', refusal));
const serve = (socket: Socket) => socket.write(answerOf('200 OK', 'text/event-stream', stream));

async function measured(requests: number) {
  server = await startRawServer((socket, request) => (request === 0 ? refuse(socket) : serve(socket)));
  const record = await measureHere(
    planFor(server.connect.port, requests, { pace: { mode: 'closed', concurrency: 1 } }),
  );
  return { record, summary: summariseLoad(record), length: null, notes: [] };
}

test("states the server's message if some requests fail", async () => {
  const words = doubtsOf({ ...(await measured(4)), cut: null });
  expect(words).toContain('1 of 4 requests got status 400: "the request exceeds the available context size"');
});

test('does not state that the requests in flight at the end of a partial point failed', async () => {
  const { record, ...point } = await measured(4);
  const last = record.requests.at(-1);
  if (last !== undefined) last.outcome = 'cancelled';
  const cut = { reason: 'canceled', ended: 3, planned: 10 } as const;
  const words = doubtsOf({ ...point, record, summary: summariseLoad(record), cut }).join('; ');
  expect(words).toContain('1 of 4 requests are not ok (1 http_4xx)');
  expect(words).not.toContain('cancelled');
});

const page = '<html><head><title>Too Many Requests</title></head><body><p>Too many</p></body></html>';

test('states what to do about the last failure, without the markup of a page', async () => {
  server = await startRawServer((socket) => socket.write(answerOf('429 Too Many Requests', 'text/html', page)));
  const record = await measureHere(planFor(server.connect.port, 2, { pace: { mode: 'closed', concurrency: 1 } }));
  expect(lastFailureWithFix(record)).toBe(
    'Last failure: status 429: "Too Many Requests". The server limits the rate of requests: raise its limit, or measure lower loads.',
  );
});

// TTFT of no request includes the time of a second connection.
test('does not comment on the connections of requests that all failed', async () => {
  server = await startRawServer((socket) => socket.destroy());
  const record = await measureHere(planFor(server.connect.port, 4, { pace: { mode: 'closed', concurrency: 1 } }));
  const words = doubtsOf({ record, summary: summariseLoad(record), length: null, notes: [], cut: null }).join('; ');
  expect(words).toContain('4 of 4 requests ended as disconnected');
  expect(words).not.toContain('TTFT includes');
});
