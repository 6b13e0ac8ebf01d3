import type { RequestTable } from './request-table.ts';

const usualTokens = 256;
/** A row that asks for more grows as its chunks come. */
const capacityMax = 4096;
const empty = new Float64Array(0);

/** Stamps of chunks by row, of rows that have not ended. */
export class RowChunks {
  readonly #table: RequestTable;
  readonly #stamps: (Float64Array<ArrayBuffer> | undefined)[] = [];
  readonly #lengths: Uint32Array;

  constructor(table: RequestTable) {
    this.#table = table;
    this.#lengths = new Uint32Array(table.rows);
  }

  add(row: number, at: number): void {
    const length = this.#lengths[row] ?? 0;
    let stamps = this.#stamps[row];
    if (stamps === undefined || length === stamps.length) stamps = this.#grow(row, stamps);
    stamps[length] = at;
    this.#lengths[row] = length + 1;
  }

  #grow(row: number, stamps: Float64Array<ArrayBuffer> | undefined): Float64Array<ArrayBuffer> {
    const asked = this.#table.counts.maxTokens[row] ?? -1;
    const first = asked > 0 ? Math.min(asked, capacityMax) : usualTokens;
    const grown = new Float64Array(stamps === undefined ? first : 2 * stamps.length);
    if (stamps !== undefined) grown.set(stamps);
    this.#stamps[row] = grown;
    return grown;
  }

  /** The stamps of a row, ascending; they are not kept. */
  take(row: number): Float64Array {
    const stamps = this.#stamps[row]?.subarray(0, this.#lengths[row]) ?? empty;
    delete this.#stamps[row];
    this.#lengths[row] = 0;
    for (let at = 1; at < stamps.length; at++) if ((stamps[at] ?? 0) < (stamps[at - 1] ?? 0)) return stamps.sort();
    return stamps;
  }
}
