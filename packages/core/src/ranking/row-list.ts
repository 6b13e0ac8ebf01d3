/** A list of row numbers that grows. */
export class RowList {
  #rows = new Int32Array(1024);
  length = 0;

  push(row: number): void {
    if (this.length === this.#rows.length) {
      const larger = new Int32Array(2 * this.length);
      larger.set(this.#rows);
      this.#rows = larger;
    }
    this.#rows[this.length] = row;
    this.length += 1;
  }

  at(place: number): number {
    return this.#rows[place] as number;
  }

  replace(place: number, row: number): void {
    this.#rows[place] = row;
  }

  all(): Int32Array {
    return this.#rows.subarray(0, this.length);
  }
}
