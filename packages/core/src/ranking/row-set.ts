/**
 * Some rows of a table: a bit for each, 32 to a number, those of the first rows lowest; bits past the last row are 0.
 * Nobody writes to a set that was made: many are remembered.
 */
export type RowSet = Int32Array;

/** One of which is in, the other out. */
type Codes = Uint8Array | Int32Array;

const wordsFor = (rows: number) => (rows + 31) >>> 5;

/** Rows whose code passes: 1 in `passes`, which has a place for every code. O(rows). */
export function rowsOfCodes(codes: Codes, passes: Uint8Array, rows: number): RowSet {
  const set = new Int32Array(wordsFor(rows));
  for (let word = 0; word < set.length; word += 1) {
    const first = word << 5;
    const end = Math.min(rows - first, 32);
    let bits = 0;
    for (let bit = 0; bit < end; bit += 1) bits |= (passes[codes[first + bit] as number] as number) << bit;
    set[word] = bits;
  }
  return set;
}

/** Rows that have a value: any that is not NaN. O(rows). */
export function rowsOfNumbers(values: Float64Array, rows: number): RowSet {
  const set = new Int32Array(wordsFor(rows));
  for (let word = 0; word < set.length; word += 1) {
    const first = word << 5;
    const end = Math.min(rows - first, 32);
    let bits = 0;
    for (let bit = 0; bit < end; bit += 1) {
      const value = values[first + bit] as number;
      // Without a jump: whether a value is there is often chance.
      bits |= Number(value <= Number.POSITIVE_INFINITY) << bit;
    }
    set[word] = bits;
  }
  return set;
}

/** Rows marked with 1. O(rows). */
export const rowsMarked = (marks: Uint8Array, rows: number): RowSet => rowsOfCodes(marks, Uint8Array.of(0, 1), rows);

/** Rows for which `passes`; for what is looked at once, a call for each row takes its time. */
export function rowsWhere(rows: number, passes: (row: number) => boolean): RowSet {
  const set = new Int32Array(wordsFor(rows));
  for (let row = 0; row < rows; row += 1) if (passes(row)) addRow(set, row);
  return set;
}

/** Puts a row into a set that is being made. */
export function addRow(set: RowSet, row: number): void {
  set[row >> 5] = (set[row >> 5] as number) | (1 << (row & 31));
}

/** Takes a row out of a set that is being made. */
export function removeRow(set: RowSet, row: number): void {
  set[row >> 5] = (set[row >> 5] as number) & ~(1 << (row & 31));
}

/** True if a row is in a set. */
export const has = (set: RowSet, row: number) => ((set[row >> 5] as number) & (1 << (row & 31))) !== 0;

/** True if one of the rows `from` to before `to` is in a set. */
export function hasSome(set: RowSet, from: number, to: number): boolean {
  for (let row = from; row < to; row += 1) if (has(set, row)) return true;
  return false;
}

/** Rows of all these sets. */
export function rowsOfAll(first: RowSet, ...others: readonly RowSet[]): RowSet {
  const set = first.slice();
  for (const other of others) {
    for (let word = 0; word < set.length; word += 1) set[word] = (set[word] as number) & (other[word] as number);
  }
  return set;
}

/** Rows of either set. */
export function rowsOfEither(a: RowSet, b: RowSet): RowSet {
  const set = a.slice();
  for (let word = 0; word < set.length; word += 1) set[word] = (set[word] as number) | (b[word] as number);
  return set;
}

/** True if a row is in both sets. */
export function meet(a: RowSet, b: RowSet): boolean {
  for (let word = 0; word < a.length; word += 1) if (((a[word] as number) & (b[word] as number)) !== 0) return true;
  return false;
}

/** How many rows are in a set. */
export function countRows(set: RowSet): number {
  let count = 0;
  for (let word = 0; word < set.length; word += 1) {
    // Bits counted in pairs, fours and eights, and those summed up by the multiplication.
    let bits = set[word] as number;
    if (bits === 0) continue;
    bits -= (bits >>> 1) & 0x55555555;
    bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
    count += Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return count;
}

/** What values may be: `low` to `high`, ends included. */
export interface Limits {
  values: Float64Array;
  low: number;
  high: number;
}

/** Rows of a set whose values keep all limits; NaN keeps none. */
export interface Selection {
  set: RowSet;
  limits: readonly Limits[];
}

/** Words of a set that are looked at together: their rows and what is made of them stay near the processor. */
const wordsAtOnce = 512;

/** Hands over the rows of a selection in order, many at once, which are good until the next ones come. O(rows of the set). */
export function eachChunk({ set, limits }: Selection, take: (rows: Int32Array) => void): void {
  // What is written past the end is no row of it yet.
  const list = new Int32Array(32 * wordsAtOnce + 1);
  const [first, ...others] = limits;
  for (let from = 0; from < set.length; from += wordsAtOnce) {
    const words = set.subarray(from, from + wordsAtOnce);
    let count = first === undefined ? putAll(words, from << 5, list) : putWithin(words, from << 5, first, list);
    for (const limit of others) count = keepWithin(list, count, limit);
    if (count > 0) take(list.subarray(0, count));
  }
}

/** The rows of a selection as a set. */
export function rowsWithin(selection: Selection): RowSet {
  if (selection.limits.length === 0) return selection.set;
  const set = new Int32Array(selection.set.length);
  eachChunk(selection, (rows) => {
    for (const row of rows) addRow(set, row);
  });
  return set;
}

/** All rows of a selection, in order. */
export function listRows(selection: Selection): Int32Array {
  const list = new Int32Array(countRows(selection.set));
  let count = 0;
  eachChunk(selection, (rows) => {
    list.set(rows, count);
    count += rows.length;
  });
  return list.subarray(0, count);
}

function putAll(words: RowSet, firstRow: number, list: Int32Array): number {
  let count = 0;
  for (let word = 0; word < words.length; word += 1) {
    for (let bits = words[word] as number; bits !== 0; bits &= bits - 1) {
      list[count] = firstRow + (word << 5) + 31 - Math.clz32(bits & -bits);
      count += 1;
    }
  }
  return count;
}

// These write every row and go on behind it only where it is within: a jump for each would be guessed wrongly as often
// as not.

function putWithin(words: RowSet, firstRow: number, { values, low, high }: Limits, list: Int32Array): number {
  let count = 0;
  for (let word = 0; word < words.length; word += 1) {
    for (let bits = words[word] as number; bits !== 0; bits &= bits - 1) {
      const row = firstRow + (word << 5) + 31 - Math.clz32(bits & -bits);
      const value = values[row] as number;
      list[count] = row;
      count += Number(value >= low) & Number(value <= high);
    }
  }
  return count;
}

function keepWithin(list: Int32Array, length: number, { values, low, high }: Limits): number {
  let count = 0;
  for (let place = 0; place < length; place += 1) {
    const row = list[place] as number;
    const value = values[row] as number;
    list[count] = row;
    count += Number(value >= low) & Number(value <= high);
  }
  return count;
}
