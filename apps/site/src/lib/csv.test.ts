import { expect, test } from 'vitest';
import { csvCell, toCsv } from './csv.ts';

// A spreadsheet would execute such a cell.
test('text that a spreadsheet would read as a formula is escaped, and numbers stay numbers', () => {
  expect(csvCell('=HYPERLINK("http://x")')).toBe(`"'=HYPERLINK(""http://x"")"`);
  expect(csvCell('@sum')).toBe("'@sum");
  expect(csvCell(-5)).toBe('-5');
  expect(csvCell(null)).toBe('');
});

test('cells with delimiters are quoted', () => {
  expect(toCsv(['a', 'b'], [['x,y', 'say "hi"']])).toBe('a,b\r\n"x,y","say ""hi"""\r\n');
});
