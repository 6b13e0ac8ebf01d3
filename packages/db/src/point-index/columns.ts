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

/** Parts of a `LargeMap`. */
const parts = 64;

/** Whole numbers by whole numbers, more of them than the 2^24 that a map has room for. */
export class LargeMap {
  readonly #parts = Array.from({ length: parts }, () => new Map<number, number>());

  #partOf(key: number): Map<number, number> {
    return this.#parts[key % parts] as Map<number, number>;
  }

  get(key: number): number | undefined {
    return this.#partOf(key).get(key);
  }

  set(key: number, value: number): void {
    this.#partOf(key).set(key, value);
  }

  delete(key: number): void {
    this.#partOf(key).delete(key);
  }
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

/**
 * The same facts, of which texts and lists that were met before are those same objects. Millions of copies of a few
 * hundred names would be looked at by every garbage collection, for a tenth of a second.
 */
export function shareTexts<T extends { id: string }>(facts: T, known: Map<string, unknown>): T {
  const shared = { ...facts };
  for (const [name, value] of Object.entries(facts)) {
    if (name === 'id' || (typeof value !== 'string' && !Array.isArray(value))) continue;
    // No text holds a zero.
    const key = typeof value === 'string' ? value : `\0${JSON.stringify(value)}`;
    if (!known.has(key)) known.set(key, value);
    Reflect.set(shared, name, known.get(key));
  }
  return shared;
}
