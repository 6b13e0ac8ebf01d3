import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EventStreamReader } from './event-stream.ts';
import { cutsOf, inDirtyBuffer } from './testing/cuts.ts';

const never = { match: () => -1 };

interface Seen {
  events: string[];
  comments: number;
  errors: string[];
  isOversize: boolean;
}

function readAll(pieces: readonly (Buffer | string)[], eventBytesMax = 1000): Seen {
  const seen: Seen = { events: [], comments: 0, errors: [], isOversize: false };
  const reader = new EventStreamReader(
    {
      onEvent: (bytes, start, end, rawStart, rawEnd) => {
        seen.events.push(bytes.toString('utf8', start, end));
        if (rawStart >= 0) expect(bytes.toString('utf8', rawStart, rawEnd)).toMatch(/^data[\s\S]*[\r\n]$/);
      },
      onComment: () => {
        seen.comments++;
      },
      onErrorField: (bytes, start, end) => seen.errors.push(bytes.toString('utf8', start, end)),
      onOversize: () => {
        seen.isOversize = true;
      },
    },
    never,
    eventBytesMax,
  );
  for (const piece of pieces) {
    const { bytes, start, end } = inDirtyBuffer(Buffer.from(piece));
    reader.push(bytes, start, end);
  }
  return seen;
}

describe('events', () => {
  test.each(['\n', '\r\n', '\r'])('end at lines that end with %j', (eol) => {
    const text = ['data: one', '', 'data: two', '', ''].join(eol);
    expect(readAll([text]).events).toEqual(['one', 'two']);
  });

  test.each([
    ['no space after the colon', 'data:{}\n\n', ['{}']],
    ['only the first space is removed', 'data:  x\n\n', [' x']],
    ['several lines are joined', 'data: a\ndata: b\ndata\n\n', ['a\nb\n']],
    ['an empty field is data', 'data\n\ndata:\n\n', ['', '']],
    ['other fields are ignored', 'event: x\nid: 1\nretry: 5\ndatum: y\ndata: z\n\n', ['z']],
    ['without data there is no event', 'event: x\n\n\n\n', []],
    ['the last event must be complete', 'data: a\n\ndata: b\n', ['a']],
    ['a byte order mark is removed', '\ufeffdata: a\n\n\ufeffdata: b\n\n', ['a']],
  ])('%s', (_what, text, events) => {
    expect(readAll([text]).events).toEqual(events);
  });

  test('are complete at the byte that ends their blank line', () => {
    // After a single CR the reader must not wait for a line feed that never comes.
    expect(readAll(['data: a\r\r']).events).toEqual(['a']);
    expect(readAll(['data: a\r\n\r']).events).toEqual(['a']);
    expect(readAll(['data: a\r\n\r', '\ndata: b\r\n\r\n']).events).toEqual(['a', 'b']);
  });

  test('distinguishes comments from the error field of old llama.cpp', () => {
    const seen = readAll([': ping\n\n:\n\nerror: {"code":500}\n\ndata: a\n\n']);
    expect(seen).toMatchObject({ events: ['a'], comments: 2, errors: [' {"code":500}'] });
  });

  test('above the maximum size end the reading, in one line or many', () => {
    expect(readAll([`data: ${'x'.repeat(1001)}\n\ndata: a\n\n`])).toMatchObject({ events: [], isOversize: true });
    expect(readAll(Array.from({ length: 2000 }, () => 'x'))).toMatchObject({ isOversize: true });
    expect(readAll(Array.from({ length: 20 }, () => `data: ${'x'.repeat(90)}\n`))).toMatchObject({ isOversize: true });
  });
});

const line = fc.oneof(
  fc.constantFrom('', '', 'data', 'data:', 'data: {"a":1}', ': ping', 'event: x', 'dat', 'data : x', '\ufeffdata: no'),
  fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => `data: ${text.replace(/[\r\n]/g, '')}`),
  fc.string({ maxLength: 12 }).map((text) => text.replace(/[\r\n]/g, '')),
);
const streams = fc
  .array(fc.tuple(line, fc.constantFrom('\n', '\n', '\r\n', '\r')), { maxLength: 20 })
  .map((lines) => Buffer.from(lines.map(([text, eol]) => text + eol).join('')));

test('gives the same events for any chunks of a stream', () => {
  fc.assert(
    fc.property(
      streams.chain((bytes) => cutsOf(bytes).map((pieces) => ({ bytes, pieces }))),
      ({ bytes, pieces }) => {
        expect(readAll(pieces)).toEqual(readAll([bytes]));
      },
    ),
    { numRuns: 500 },
  );
});

test('gives the same events as eventsource-parser', () => {
  fc.assert(
    fc.property(streams, (bytes) => {
      const events: string[] = [];
      const parser = createParser({ onEvent: ({ data }) => events.push(data) });
      // The parser waits after a CR at the end of its input. A comment ends the wait.
      parser.feed(`${bytes.toString()}: end\n`);
      expect(readAll([bytes]).events).toEqual(events);
    }),
    { numRuns: 500 },
  );
});
