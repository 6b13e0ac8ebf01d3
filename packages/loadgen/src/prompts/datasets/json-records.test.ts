import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createJsonScanner, type LocatedRecord } from './json-records.ts';

function scan(text: string | Uint8Array, pieceBytes = 1_000_000, recordBytesMax = 10_000): LocatedRecord[] {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  const scanner = createJsonScanner('x.json', recordBytesMax);
  const found: LocatedRecord[] = [];
  for (let start = 0; start < bytes.length; start += pieceBytes)
    found.push(...scanner.push(bytes.subarray(start, start + pieceBytes)));
  scanner.end();
  return found;
}

const objects = fc.array(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()), { maxLength: 6 });

// Chunks of a file can end anywhere, even within a character or an escape.
test.each<[string, (list: unknown[]) => string]>([
  ['a list', (list) => JSON.stringify(list)],
  ['a list over several lines', (list) => JSON.stringify(list, null, 2)],
  ['lines', (list) => list.map((value) => JSON.stringify(value)).join('\n')],
  ['lines with CRLF', (list) => list.map((value) => `${JSON.stringify(value)}\r\n`).join('')],
  ['records over several lines', (list) => list.map((value) => JSON.stringify(value, null, 1)).join('\n\n')],
])('reads the records of %s, in chunks of any size', (_title, write) => {
  fc.assert(
    fc.property(objects, fc.integer({ min: 1, max: 40 }), (list, pieceBytes) => {
      const found = scan(write(list), pieceBytes);
      expect(found.map(({ value }) => JSON.stringify(value))).toEqual(list.map((value) => JSON.stringify(value)));
      expect(found.map(({ record }) => record)).toEqual(list.map((_, index) => index + 1));
    }),
  );
});

test('gives each record its line', () => {
  expect(scan('\n{"a":1}\n\n{"a":\n2}\n{"a":3}').map(({ line }) => line)).toEqual([2, 4, 6]);
});

describe('a damaged file is rejected with its location:', () => {
  test.each<[string, string, string, object]>([
    ['cut within a record', '[{"a": 1}, {"a": "x', 'json_invalid', { record: 2, line: 1 }],
    ['cut within the list', '[{"a": 1},\n', 'json_invalid', { record: 1 }],
    ['cut within lines', '{"a": 1}\n{"a"', 'json_invalid', { record: 2, line: 2 }],
    ['a record that is not JSON', '{"a": 1}\n{"a": nope}', 'json_invalid', { record: 2, line: 2 }],
    ['text between records', '{"a": 1}\nhello', 'json_invalid', { record: 1, line: 2 }],
    ['a list of numbers', '[1, 2]', 'json_invalid', { record: 0, line: 1 }],
    ['a duplicate comma', '[{"a": 1},,{"a": 2}]', 'json_invalid', { record: 1 }],
    ['a missing comma', '[{"a": 1} {"a": 2}]', 'json_invalid', { record: 1 }],
    ['a trailing comma', '[{"a": 1},]', 'json_invalid', { record: 1 }],
    ['text after the list', '[{"a": 1}]\n{"a": 2}', 'json_invalid', { record: 1, line: 2 }],
    ['an additional bracket', '{"a": 1}}', 'json_invalid', { record: 1 }],
    ['a record that is too long', `{"a": "${'x'.repeat(20_000)}"}`, 'too_large', { record: 1, line: 1 }],
  ])('%s', (_title, text, code, place) => {
    for (const pieceBytes of [1, 7, 1_000_000])
      expect(() => scan(text, pieceBytes)).toThrow(
        expect.objectContaining({
          code,
          place: expect.objectContaining(place),
          message: expect.stringMatching(/^x\.json/),
        }),
      );
  });

  test('bytes that are not UTF-8', () => {
    const bytes = Uint8Array.of(...Buffer.from('{"a": "'), 0xff, ...Buffer.from('"}'));
    expect(() => scan(bytes)).toThrow(expect.objectContaining({ code: 'text_invalid' }));
  });
});
