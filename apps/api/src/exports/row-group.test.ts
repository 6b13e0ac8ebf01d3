import { describe, expect, test } from 'vitest';
import type { Cell, ColumnType } from './format.ts';
import { gatherColumns, type Physical } from './row-group.ts';

const gatherOne = (type: ColumnType, rowsMax = 4) => gatherColumns([{ name: 'a', type, unit: null }], rowsMax)[0];

/** The values that a column returns after these cells were added. */
function passed(type: ColumnType, cells: readonly Cell[]): Physical[] | undefined {
  const column = gatherOne(type);
  for (const [row, cell] of cells.entries()) column?.put(row, cell);
  return column?.read(cells.length);
}

describe('a column of a row group', () => {
  test.each<[ColumnType, Cell[], Physical[]]>([
    ['text', ['', null, 'a'], ['', null, 'a']],
    ['number', [0, null, -0.1, 1e300], [0, null, -0.1, 1e300]],
    ['integer', [0, null, 2 ** 53 - 1], [0n, null, 9007199254740991n]],
    ['instant', ['1970-01-01T00:00:00.000Z', null], [new Date(0), null]],
  ])('keeps values of type %s, and nulls', (type, cells, physical) => {
    expect(passed(type, cells)).toEqual(physical);
  });

  test('has no values of the previous group', () => {
    for (const type of ['text', 'number'] as const) {
      const column = gatherOne(type);
      for (const row of [0, 1, 2, 3]) column?.put(row, type === 'text' ? 'old' : 7);
      column?.put(0, null);
      expect(column?.read(1)).toEqual([null]);
      expect(column?.hasAny(1)).toBe(false);
      column?.put(1, type === 'text' ? 'new' : 0);
      expect(column?.hasAny(2)).toBe(true);
    }
  });

  test('keeps more distinct texts than it deduplicates', () => {
    const rows = 10_000;
    const column = gatherOne('text', rows);
    for (let row = 0; row < rows; row += 1) column?.put(row, `text ${row % 7000}`);
    expect(column?.read(rows)).toEqual(Array.from({ length: rows }, (_, row) => `text ${row % 7000}`));
  });
});
