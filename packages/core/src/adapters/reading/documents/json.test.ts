import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toArtifactText } from '../text/artifact-text.ts';
import { JsonError, readJson } from './json.ts';
import { findJson } from './json-documents.ts';

const content = (text: string) => toArtifactText(new TextEncoder().encode(text)).json;

test('reads any output of JSON.stringify as JSON.parse does', () => {
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { depthSize: 'small' },
      fc.string(),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true, max: 1e15, min: -1e15 }),
      fc.boolean(),
      fc.constant(null),
      tie('list'),
      tie('object'),
    ),
    list: fc.array(tie('any')),
    object: fc.dictionary(
      fc.string().filter((key) => key !== '__proto__'),
      tie('any'),
      { noNullPrototype: true },
    ),
  })).any;
  fc.assert(
    fc.property(value, (any) => {
      const text = JSON.stringify(any);
      expect(readJson(text).value).toEqual(JSON.parse(text));
      expect(readJson(JSON.stringify(any, null, 2)).value).toEqual(JSON.parse(text));
    }),
  );
});

test.each([
  ['NaN', null],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
  ['1e309', '1e309'],
  ['-1e309', '-1e309'],
  ['9007199254740993', '9007199254740993'],
  ['9007199254740991', 9007199254740991],
  ['-0.5e-3', -0.0005],
  ['"\\u00e9\\n\\ud83d\\ude00"', 'é\n😀'],
])('reads %s as %j', (text, expected) => {
  expect(readJson(text).value).toBe(expected);
});

test.each([
  ['{"a": 1, "b": 2, "a": 3}', '"a" occurs twice'],
  ['{"__proto__": 1}', 'not allowed'],
  ['"\\ud800"', 'lone surrogate'],
  ['"\\u0000"', 'U+0000'],
  ['[1, 2', 'unexpected end of the text'],
  ['[1,]', 'expected a value'],
  ["{'a': 1}", 'a key in double quotes'],
  ['"a\nb"', 'not closed on its line'],
  ['"\\x"', 'unknown escape'],
  ['[01]', 'expected "," or "]"'],
  [`${'['.repeat(201)}${']'.repeat(201)}`, 'nested deeper than 200'],
])('rejects %j', (text, reason) => {
  expect(() => readJson(text)).toThrow(JsonError);
  expect(() => readJson(text)).toThrow(reason);
});

test('reads 200 levels', () => {
  expect(() => readJson(`${'['.repeat(200)}${']'.repeat(200)}`)).not.toThrow();
});

describe('documents in a text', () => {
  test('finds records, arrays and multi-line documents between log lines', () => {
    const { documents, broken } = content(
      '[INFO] up\n{"a": 1}\n\n  {"b": 2} {"c": 3}\n[\n {"d":\n 4}\n]\n{not json}\n[1, 2]\ndone',
    );
    expect(broken).toEqual([]);
    expect(documents).toEqual([
      { value: { a: 1 }, from: 2, to: 2 },
      { value: { b: 2 }, from: 4, to: 4 },
      { value: { c: 3 }, from: 4, to: 4 },
      { value: [{ d: 4 }], from: 5, to: 8 },
    ]);
  });

  test('reports a truncated record, and reads the next one', () => {
    const { documents, broken } = content('{"a": 1}\n{"a": 1, "b\n{"a": 2}\n');
    expect(documents.map(({ from }) => from)).toEqual([1, 3]);
    const message = 'Line 2 is invalid JSON: a string is not closed on its line.';
    expect(broken).toEqual([{ code: 'json_broken', line: 2, message, isExample: true }]);
  });

  test('reports an error in a multi-line document with its line', () => {
    expect(content('{\n  "a": 1,\n  "b": oops\n}\n').broken).toEqual([
      {
        code: 'json_broken',
        line: 3,
        message: 'The JSON that begins on line 1 is invalid at line 3: expected a value, found "o".',
        isExample: true,
      },
    ]);
  });

  test('rejects text after a record', () => {
    const message = 'Line 1 has text after the end of its JSON.';
    expect(content('{"a": 1} and more\n').broken).toEqual([{ code: 'json_broken', line: 1, message, isExample: true }]);
  });

  test.each([
    ['has few figures', '{"a": 1, "b": 2, "c": 3, d\n\nmore', true],
    ['has more figures', '{"a": 1, "b": 2, "c": 3, "d": 4, e\n\nmore', undefined],
    ['has more figures on its next lines', '{\n"a": 1, d\n"b": 2,\n"c": 3,\n"d": 4\n\nmore', undefined],
    ['reaches the end of the text', '{"a": 1, d', undefined],
  ])('broken text that %s', (_, text, isExample) => {
    expect(content(text).broken[0]?.isExample).toBe(isExample);
  });

  test('gives each record the line of the file', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('', 'log', '[x]', '{"a": 1}'), { maxLength: 50 }), (lines) => {
        const found = findJson(lines, lines.join('\n'));
        const expected = lines.flatMap((line, index) => (line.startsWith('{') ? [index + 1] : []));
        expect(found.documents.map(({ from }) => from)).toEqual(expected);
      }),
    );
  });

  // Each of these made a naive search restart on every line.
  test.each(['{"a": 1,\n', '{"a": [1,\n', '[{"a": [0], "b":\n', '[\n', '{\n'])('reads 1 MiB of %j in time', (line) => {
    expect(content(line.repeat(Math.floor(2 ** 20 / line.length))).documents).toEqual([]);
  });
});
