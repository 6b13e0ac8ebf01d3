import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ArtifactText } from '../text/artifact-text.ts';
import { readCsv } from './csv.ts';

const read = (text: string, from = 1) => readCsv(new ArtifactText(text.split('\n')), from);
const cells = (text: string) => read(text).map((record) => record.cells);

test.each<[string, string[][]]>([
  ['a,b,c', [['a', 'b', 'c']]],
  ['a,,c', [['a', '', 'c']]],
  ['a,b,', [['a', 'b', '']]],
  ['"a,b",c', [['a,b', 'c']]],
  ['"say ""so""",c', [['say "so"', 'c']]],
  ['"",x', [['', 'x']]],
  ['x,""', [['x', '']]],
  ['x,"1,234.50"', [['x', '1,234.50']]],
  ['5" disk,b', [['5" disk', 'b']]],
  ['one\ntwo', [['one'], ['two']]],
  [
    '"two\nlines",b\nc,d',
    [
      ['two\nlines', 'b'],
      ['c', 'd'],
    ],
  ],
  ['"never closed,b', [['never closed,b']]],
])('%j', (text, expected) => expect(cells(text)).toEqual(expected));

test('ends a table at a blank line, and gives each record its lines', () => {
  expect(read('log\na,b\n"c\nd",e\n\nother', 2)).toEqual([
    { cells: ['a', 'b'], line: 2, to: 2 },
    { cells: ['c\nd', 'e'], line: 3, to: 4 },
  ]);
});

test('reads back valid CSV', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', ',', '"', ' ', '\n', 'é') });
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  fc.assert(
    fc.property(fc.array(fc.array(cell, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 5 }), (rows) => {
      const text = rows.map((row) => row.map(quoted).join(',')).join('\n');
      expect(cells(text)).toEqual(rows);
    }),
  );
});

test('accepts any text', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      for (const record of read(text)) expect(record.cells.length).toBeGreaterThan(0);
    }),
  );
});
