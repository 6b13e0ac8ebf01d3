/** Things that only so many may have at once. */
export class Slots {
  #free: number;

  constructor(free: number) {
    this.#free = free;
  }

  get isFree(): boolean {
    return this.#free > 0;
  }

  /** What `source` yields; a slot is taken with the first chunk that is asked for, and free again when it ends. */
  async *during<T>(source: AsyncGenerator<T>): AsyncGenerator<T> {
    this.#free -= 1;
    try {
      yield* source;
    } finally {
      this.#free += 1;
    }
  }
}
