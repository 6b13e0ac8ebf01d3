import { afterEach, expect, test } from 'vitest';
import { doubtsOf } from '../points/doubts.ts';
import { type RawServer, startRawServer } from '../wire/testing/raw-server.ts';
import { summariseLoad } from './records/summarise-load.ts';
import { measureHere } from './testing/measure-here.ts';
import { bodyOf, planFor } from './testing/plans.ts';

let server: RawServer | null = null;
afterEach(async () => {
  await server?.close();
});

const chunk = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: ' w' } }] })}\n\n`;
const frame = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';
const writes = 6;
const gapMs = 80;

/** Six writes with this number of chunks each. */
async function measureWrites(chunksPerWrite: number) {
  const tokens = writes * chunksPerWrite;
  server = await startRawServer((socket) => {
    socket.write(head);
    let written = 0;
    const timer = setInterval(() => {
      written++;
      const usage = { choices: [], usage: { prompt_tokens: 5, completion_tokens: tokens } };
      const end = `${frame(`data: ${JSON.stringify(usage)}\n\ndata: [DONE]\n\n`)}0\r\n\r\n`;
      socket.write(frame(chunk).repeat(chunksPerWrite) + (written === writes ? end : ''));
      if (written === writes) clearInterval(timer);
    }, gapMs);
  });
  const bodies = Array.from({ length: 8 }, () => bodyOf(tokens));
  const record = await measureHere(
    planFor(server.connect.port, 8, { bodies, pace: { mode: 'closed', concurrency: 4 } }),
  );
  const point = { record, summary: summariseLoad(record), length: null, cut: null, notes: [] } as Parameters<
    typeof doubtsOf
  >[0];
  return { record, tokens, doubts: doubtsOf(point).join('; ') };
}

test('reports a server that writes four chunks together, without blaming the client', async () => {
  const { record, tokens, doubts } = await measureWrites(4);
  expect(record.self).toMatchObject({ coalesced_share: 1, late_share: expect.closeTo(0, 1) });
  expect(doubts).toContain('in 100 % of reads the server sent several chunks together');
  expect(doubts).not.toContain('were late');
  for (const request of record.requests)
    expect(request).toMatchObject({ outcome: 'ok', chunk_count: tokens, output_tokens: tokens });
});

test('reports nothing if the server writes each chunk separately', async () => {
  const { record, doubts } = await measureWrites(1);
  expect(record.self).toMatchObject({ coalesced_share: 0 });
  expect(doubts).not.toMatch(/together|were late/);
});
