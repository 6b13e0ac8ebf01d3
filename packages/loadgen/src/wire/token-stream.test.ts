import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cutsOf, inDirtyBuffer } from './testing/cuts.ts';
import { type StreamFacts, TokenStream, type Work } from './token-stream.ts';

interface Reading {
  facts: StreamFacts;
  stamps: number[];
  /** Events that were parsed in full. */
  late: number;
}

/** Reads chunks that arrive 1 ms apart. With `isFast: false`, no template is learned before the end. */
function readAll(pieces: readonly (Buffer | string)[], isFast = true): Reading {
  const work: Work[] = [];
  const stamps: number[] = [];
  let late = 0;
  const stream = new TokenStream(
    { onToken: (at) => stamps.push(at), onCoalesced: () => undefined, onOversize: () => undefined },
    { add: (event) => work.push(event) },
  );
  const doWork = () => {
    for (const event of work.splice(0)) {
      late++;
      event.work();
    }
  };
  pieces.forEach((piece, at) => {
    const { bytes, start, end } = inDirtyBuffer(Buffer.from(piece));
    stream.push(bytes, start, end, at);
    bytes.fill(0);
    if (isFast) doWork();
  });
  doWork();
  return { facts: stream.facts, stamps: stamps.sort((a, b) => a - b), late };
}

const event = (choice: string, rest = '') =>
  `data: {"id":"x","created":1,"choices":[{"index":0,${choice}}]${rest}}\n\n`;
const token = (text: string) => event(`"delta":{"content":${text}},"finish_reason":null`);
const words = [' a', ' b', 'é', '\\n', '\\"', '\\u00fc', '\\\\', '🙂'];

describe('the template', () => {
  test('handles all chunks except the first of a plain stream', () => {
    const pieces = words.map((word) => token(`"${word}"`));
    const reading = readAll(pieces);
    expect(reading.late).toBe(1);
    expect(reading.facts).toMatchObject({
      chunkCount: words.length,
      firstContentAt: 0,
      badEvent: null,
    });
    expect(reading.stamps).toEqual(words.map((_, at) => at));
  });

  test.each([
    [
      'an error in place of text',
      'data: {"error":{"message":"out of memory"}}\n\n',
      { error: 'out of memory', chunkCount: 2 },
    ],
    [
      'an error after the text',
      event('"delta":{"content":"b"},"finish_reason":null', ',"error":"gone"'),
      { error: 'gone', chunkCount: 3 },
    ],
    [
      'a finish reason',
      event('"delta":{"content":"b"},"finish_reason":"stop"'),
      { finishReason: 'stop', chunkCount: 3 },
    ],
    ['an empty text', token('""'), { chunkCount: 2 }],
    ['a null text', token('null'), { chunkCount: 2 }],
    [
      'a missing end',
      'data: {"id":"x","created":1,"choices":[{"index":0,"delta":{"content":"b"},"finish\n\n',
      { chunkCount: 2, badEvent: expect.stringContaining('not JSON') },
    ],
    ['a broken escape', token('"\\x"'), { chunkCount: 2, badEvent: expect.stringContaining('not JSON') }],
    ['a broken unicode escape', token('"\\u12g4"'), { chunkCount: 2, badEvent: expect.stringContaining('not JSON') }],
    ['a raw tabulator', token('"\t"'), { chunkCount: 2, badEvent: expect.stringContaining('not JSON') }],
    ['an injected field', token('"b"}}],"error":"gone","x":[{"y":{"z":"w"'), { chunkCount: 3, error: 'gone' }],
    ['another creation time', token('"b"').replace('"created":1', '"created":2'), { chunkCount: 3 }],
  ])('is not used for %s', (_what, odd, facts) => {
    expect(readAll([token('"a"'), odd, token('"c"')]).facts).toMatchObject(facts);
  });

  test('is learned again if the stream changes its form', () => {
    const later = (text: string) => token(text).replace('"created":1', '"created":2');
    const reading = readAll(['"a"', '"b"'].map(token).concat(['"c"', '"d"', '"e"'].map(later)));
    expect(reading).toMatchObject({ late: 2, facts: { chunkCount: 5 } });
  });

  test('separates reasoning and content', () => {
    const thought = (text: string) => event(`"delta":{"content":"","reasoning":"${text}"},"finish_reason":null`);
    const reading = readAll([...['a', 'b', 'c'].map(thought), token('"d"'), token('"e"')]);
    expect(reading).toMatchObject({ late: 2, facts: { chunkCount: 5, firstReasoningAt: 0, firstContentAt: 3 } });
  });

  test('is abandoned if every event differs', () => {
    const pieces = Array.from({ length: 30 }, (_, at) => token('"a"').replace('"created":1', `"created":${at}`));
    expect(readAll(pieces)).toMatchObject({ late: 30, facts: { chunkCount: 30 } });
  });
});

describe('a stream', () => {
  test('has the time at which an event is complete, not at which it starts', () => {
    const [first, second] = [token('"a"').slice(0, 20), token('"a"').slice(20)];
    expect(readAll([first, second]).facts).toMatchObject({ firstContentAt: 1, chunkCount: 1 });
  });

  test('counts reads with several chunks', () => {
    const reading = readAll([token('"a"'), token('"b"') + token('"c"') + token('"d"'), token('"e"')]);
    expect(reading.facts).toMatchObject({ tokenReads: 3, coalescedReads: 1, chunkCount: 5 });
  });

  test('ends with [DONE], with or without spaces', () => {
    expect(readAll(['data: [DONE]\n\n']).facts.doneAt).toBe(0);
    expect(readAll(['data:[DONE] \r\n\r\n']).facts.doneAt).toBe(0);
    expect(readAll(['data: [done]\n\n']).facts).toMatchObject({ doneAt: null, badEvent: expect.any(String) });
  });

  test('keeps the last usage counts, and those missing from a later one', () => {
    const usage = (text: string) => event('"delta":{"content":"a"},"finish_reason":null', `,"usage":${text}`);
    const { facts } = readAll([
      usage('{"prompt_tokens":7,"completion_tokens":1}'),
      usage('{"completion_tokens":2}'),
      'data: {"choices":[],"usage":null,"timings":{"cache_n":3}}\n\n',
    ]);
    expect(facts.usage).toEqual({ promptTokens: 7, outputTokens: 2, cachedTokens: 3 });
  });
});

const events = fc.oneof(
  fc.constantFrom(...words).map((word) => token(`"${word}"`)),
  fc.string({ unit: 'grapheme', maxLength: 8 }).map((text) => token(JSON.stringify(text))),
  fc.constantFrom(
    event('"delta":{"role":"assistant","content":""},"finish_reason":null'),
    event('"delta":{"reasoning_content":"hm"},"finish_reason":null'),
    event('"delta":{"content":"x"},"finish_reason":"stop"'),
    event('"text":"y","finish_reason":null'),
    'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}\n\n',
    'data: {"error":"no"}\n\n',
    'data: {"broken\n\n',
    ': ping\n\n',
    'data: [DONE]\n\n',
    token('"a"').replaceAll('\n', '\r\n'),
    token('"a"').replace('data: ', 'data:'),
  ),
);
const streams = fc.array(events, { maxLength: 15 }).map((parts) => Buffer.from(parts.join('')));

// The fast path must always agree with the parser.
test('reads the same with and without templates, for any chunks', () => {
  fc.assert(
    fc.property(
      streams.chain((bytes) => cutsOf(bytes)),
      (pieces) => {
        const [fast, slow] = [readAll(pieces), readAll(pieces, false)];
        const { badEvent: fastBad, ...facts } = fast.facts;
        const { badEvent: slowBad, ...slowFacts } = slow.facts;
        expect(facts).toEqual(slowFacts);
        expect(fastBad === null).toBe(slowBad === null);
        expect(fast.stamps).toEqual(slow.stamps);
      },
    ),
    { numRuns: 500 },
  );
});
