import type { Cell, Column, ColumnType } from './format.ts';

/** A cell in the type that the Parquet writer expects. */
export type Physical = string | number | bigint | Date | null;

/** The cells of a column, buffered until they are written. */
export interface Gathered {
  put(row: number, cell: Cell): void;
  /** The first `rows` cells, in the writer's types. */
  read(rows: number): Physical[];
  /** False if the first `rows` cells are all missing. */
  hasAny(rows: number): boolean;
}

/** Maximum number of distinct texts to deduplicate. */
const knownMax = 4096;

/** Returns one shared string for equal texts: thousands of rows mostly repeat a few values. */
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

/** NaN marks a missing cell: the cells come from JSON, which has no NaN. */
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
 * Buffers for the rows of one group after another, by column, for at most `rowsMax` rows. A group takes long to fill, and
 * long-lived objects are costly to collect. The buffers are therefore reused for all groups, and numbers are stored in typed
 * arrays.
 */
export function gatherColumns(columns: readonly Column[], rowsMax: number): (Gathered & { name: string })[] {
  const unify = createUnifier();
  return columns.map(({ name, type }) => ({ name, ...gather(type, rowsMax, unify) }));
}
