/** A limit on concurrent use. */
export class Slots {
  #free: number;

  constructor(free: number) {
    this.#free = free;
  }

  get isFree(): boolean {
    return this.#free > 0;
  }

  /** Yields the chunks of `source`. Takes a slot at the first chunk and frees it at the end. */
  async *during<T>(source: AsyncGenerator<T>): AsyncGenerator<T> {
    this.#free -= 1;
    try {
      yield* source;
    } finally {
      this.#free += 1;
    }
  }
}
