import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { startRawServer } from '../wire/testing/raw-server.ts';
import type { LoadPlan } from './plan.ts';
import { measureHere } from './testing/measure-here.ts';
import { countOutcomes, planFor } from './testing/plans.ts';

/** A server that sends these bytes in response to any request. */
async function measureRaw(answer: (socket: Socket) => void, over: Partial<LoadPlan> = {}) {
  const server = await startRawServer(answer);
  try {
    const record = await measureHere({ ...planFor(0, 2, over), connect: server.connect });
    return { record, server };
  } finally {
    await server.close();
  }
}

const sse = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n';
const text = 'data: {"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}]}\n\n';

describe('unusual responses', () => {
  test('a body that ends with the connection', async () => {
    const { record } = await measureRaw((socket) => socket.end(`${sse}\r\n${text}data: [DONE]\n\n`));
    expect(countOutcomes(record)).toEqual({ ok: 2 });
  });

  test('a body of known length', async () => {
    const body = `${text}${text}data: [DONE]\n\n`;
    const { record } = await measureRaw((socket) =>
      socket.write(`${sse}content-length: ${body.length}\r\n\r\n${body}`),
    );
    expect(countOutcomes(record)).toEqual({ ok: 2 });
    expect(record.requests[0]).toMatchObject({ chunk_count: 2 });
    expect(record.self.coalesced_share).toBe(1);
  });

  test('an end after [DONE] without the last chunk', async () => {
    const { record } = await measureRaw((socket) => {
      const body = `${text}data: [DONE]\n\n`;
      socket.end(`${sse}transfer-encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n`);
    });
    expect(countOutcomes(record)).toEqual({ ok: 2 });
    expect(record.requests[0]?.outcome_detail).toBe('the body did not end after [DONE]');
  });

  test.each([
    ['a redirect', 'HTTP/1.1 307 Temporary Redirect\r\nlocation: /x\r\ncontent-length: 0\r\n\r\n', 'http_4xx', 307],
    ['a response that is not HTTP', '220 smtp.example ESMTP\r\n\r\n', 'bad_event', null],
    ['a web page', 'HTTP/1.1 200 OK\r\ncontent-length: 13\r\n\r\n<html></html>', 'bad_event', 200],
    ['an error as a JSON document', 'HTTP/1.1 200 OK\r\ncontent-length: 14\r\n\r\n{"error":"no"}', 'error_event', 200],
    ['an empty body', 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n', 'empty', 200],
    ['a compressed transfer', `${sse}transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n`, 'encoded', 200],
  ])('%s', async (_what, bytes, outcome, status) => {
    const { record } = await measureRaw((socket) => socket.write(bytes));
    expect(countOutcomes(record)).toEqual({ [outcome]: 2 });
    expect(record.requests[0]).toMatchObject({ status, chunk_count: 0 });
  });

  // The response of a 2024 server to /v1/completions.
  test("events of llama.cpp's own API", async () => {
    const word = (text: string) =>
      `data: {"content":"${text}","id_slot":0,"index":0,"multimodal":false,"stop":false}\n\n`;
    const end =
      'data: {"content":"","stop":true,"stopped_limit":true,"tokens_evaluated":9,"tokens_predicted":3,"timings":{"prompt_n":9}}\n\n';
    const { record } = await measureRaw((socket) =>
      socket.end(`${sse}\r\n${word(' a')}${word(' b')}${word(' c')}${end}`),
    );
    expect(countOutcomes(record)).toEqual({ ok: 2 });
    expect(record.requests[0]).toMatchObject({
      ...{ chunk_count: 3, prompt_tokens: 9, output_tokens: 3, cached_tokens: 0 },
      ...{ finish_reason: 'length', outcome_detail: null },
    });
  });

  test('events of unknown form without text', async () => {
    const { record } = await measureRaw((socket) =>
      socket.end(`${sse}\r\ndata: {"word":"a"}\n\ndata: {"word":"b"}\n\n`),
    );
    expect(countOutcomes(record)).toEqual({ empty: 2 });
    expect(record.requests[0]?.outcome_detail).toBe('none of the 2 events has text');
  });

  test('an event above the maximum size', async () => {
    const { record } = await measureRaw((socket) => {
      socket.write(`${sse}\r\ndata: `);
      const block = Buffer.alloc(64 * 1024, 'x');
      const more = () => {
        while (!socket.destroyed && socket.write(block));
      };
      socket.on('drain', more);
      more();
    });
    expect(countOutcomes(record)).toEqual({ bad_event: 2 });
  });

  // A server error that contains the API key must not put it into a record.
  test('an API key that the server repeats is not recorded', async () => {
    const message = `${'x'.repeat(180)} wrong key sk-very-secret-key`;
    const { record } = await measureRaw(
      (socket) => socket.write(`HTTP/1.1 401 Unauthorized\r\ncontent-length: ${message.length}\r\n\r\n${message}`),
      { headers: { authorization: 'Bearer sk-very-secret-key' } },
    );
    expect(countOutcomes(record)).toEqual({ http_4xx: 2 });
    expect(record.requests[0]?.outcome_detail).toContain('status 401');
    expect(JSON.stringify(record)).not.toContain('sk-very');
  });
});
