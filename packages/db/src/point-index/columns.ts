/** A number column: `Float64Array` and its like. */
export type Numbers = Float64Array | Int32Array | Uint8Array;

/** A column of at least so many rows: the same, or a larger copy whose other rows hold `empty`. */
export function roomFor<T extends Numbers>(column: T, rows: number, empty: number): T {
  if (column.length >= rows) return column;
  // Each of these classes takes a length.
  const larger = new (column.constructor as new (length: number) => T)(Math.max(1024, Math.ceil(rows * 1.25)));
  larger.set(column as never);
  if (empty !== 0) larger.fill(empty, column.length);
  return larger;
}

/** Words as numbers from 0, in the order in which they are first met. */
export class Words {
  readonly words: string[] = [];
  readonly #codes = new Map<string, number>();

  code(word: string): number {
    const known = this.#codes.get(word);
    if (known !== undefined) return known;
    this.#codes.set(word, this.words.length);
    return this.words.push(word) - 1;
  }
}
