import type { Cell, Column, ColumnType } from './format.ts';

/** A cell as the writer of the file wants it. */
export type Physical = string | number | bigint | Date | null;

/** The cells of a column, gathered until they are written. */
export interface Gathered {
  put(row: number, cell: Cell): void;
  /** The first `rows` cells, as they are written. */
  read(rows: number): Physical[];
  /** False if the first `rows` cells are all missing. */
  hasAny(rows: number): boolean;
}

/** Texts of which one copy is kept. */
const knownMax = 4096;

/** One and the same string for all that are equal: thousands of rows mostly repeat a few. */
function createUnifier(): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    if (known.size === knownMax) known.clear();
    known.set(text, text);
    return text;
  };
}

function gatherTexts(rowsMax: number, unify: (text: string) => string): Gathered {
  const texts = new Array<string | null>(rowsMax).fill(null);
  return {
    put(row, cell) {
      texts[row] = cell === null ? null : unify(String(cell));
    },
    read: (rows) => texts.slice(0, rows),
    hasAny: (rows) => texts.some((text, row) => row < rows && text !== null),
  };
}

/** Not a number is a cell that is missing: JSON, where all cells come from, has no other. */
function gatherNumbers(rowsMax: number, toPhysical: (value: number) => Physical): Gathered {
  const values = new Float64Array(rowsMax);
  return {
    put(row, cell) {
      if (cell === null) values[row] = Number.NaN;
      else values[row] = typeof cell === 'string' ? Date.parse(cell) : cell;
    },
    read(rows) {
      const read: Physical[] = [];
      for (const value of values.subarray(0, rows)) read.push(Number.isNaN(value) ? null : toPhysical(value));
      return read;
    },
    hasAny: (rows) => values.subarray(0, rows).some((value) => !Number.isNaN(value)),
  };
}

function gather(type: ColumnType, rowsMax: number, unify: (text: string) => string): Gathered {
  if (type === 'text') return gatherTexts(rowsMax, unify);
  if (type === 'integer') return gatherNumbers(rowsMax, BigInt);
  return gatherNumbers(rowsMax, type === 'instant' ? (value) => new Date(value) : (value) => value);
}

/**
 * Where the rows of one group after another are gathered, column by column, `rowsMax` at most. A group takes long to fill,
 * and what lives long is costly to collect: so the memory is the same for all groups, and numbers are no objects in it.
 */
export function gatherColumns(columns: readonly Column[], rowsMax: number): (Gathered & { name: string })[] {
  const unify = createUnifier();
  return columns.map(({ name, type }) => ({ name, ...gather(type, rowsMax, unify) }));
}
