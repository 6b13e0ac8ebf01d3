import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readJson } from './json.ts';
import { readPlainLine } from './json-lines.ts';

const read = (line: string) => readPlainLine(line, 0, line.length);

// If the two readers disagreed on a record, the result would differ.
test('parses a line like a JSON document', () => {
  fc.assert(
    fc.property(fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue())), (value) => {
      const line = JSON.stringify(value);
      const plain = read(line);
      if (plain !== null) expect(plain).toEqual(readJson(line));
    }),
  );
});

test('reads the record of a line and stops after it', () => {
  const line = '{"a": 1.5, "b": [{"c": "x: y"}], "d": -0, "e": 1e3, "f": null}';
  expect(readPlainLine(`..${line} \r\n{`, 2, 2 + line.length + 2)).toEqual({
    value: { a: 1.5, b: [{ c: 'x: y' }], d: -0, e: 1000, f: null },
    end: 2 + line.length,
  });
});

describe('leaves to the full JSON parser', () => {
  test.each([
    ['a duplicate key', '{"a": 1, "a": 1}'],
    ['a nested duplicate key', '{"a": [{"b": 1, "b": 2}]}'],
    ['a duplicate key before a space, hidden by a string', '{"a" :1, "a" :2, "b": ":x"}'],
    ['a string like the end of a key', '{"a": ":x"}'],
    ['a rounded whole number', '{"a": 9007199254740993}'],
    ['a number beyond the range of a double', '{"a": 1e999}'],
    ['the prototype', '{"__proto__": {}}'],
    ['an escape', '{"a": "\\u0000"}'],
    ['a lone surrogate', '{"a": "\ud800"}'],
    ['NaN as written by Python', '{"a": NaN}'],
    ['another document on the line', '{"a": 1} {"b": 2}'],
    ['text after the record', '{"a": 1} ok'],
    ['the first line of several', '{"a": {'],
    ['deep nesting', `${'['.repeat(201)}{"a": 1}${']'.repeat(201)}`],
    ['too many keys', `{${Array.from({ length: 10_001 }, (_, place) => `"${place}": 0`).join()}}`],
  ])('%s', (_, line) => expect(read(line)).toBeNull());
});
