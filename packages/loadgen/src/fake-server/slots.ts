/** A place that was taken. */
export interface Place {
  release(): void;
}

/** Serves so many at once, the rest in the order they came; 0: all at once. */
export class Slots {
  readonly #size: number;
  readonly #waiting: (() => void)[] = [];
  #taken = 0;

  constructor(size: number) {
    this.#size = size;
  }

  /** Requests being served. */
  get taken(): number {
    return this.#taken;
  }

  /** Requests in the queue. */
  get queued(): number {
    return this.#waiting.length;
  }

  /** Calls `begin` once there is a place. What it returns gives the place, or that in the queue, back. */
  take(begin: () => void): Place {
    let state: 'waiting' | 'begun' | 'released' = 'waiting';
    const start = () => {
      state = 'begun';
      this.#taken++;
      begin();
    };
    if (this.#size === 0 || this.#taken < this.#size) start();
    else this.#waiting.push(start);
    return {
      release: () => {
        if (state === 'waiting') this.#waiting.splice(this.#waiting.indexOf(start), 1);
        else if (state === 'begun') {
          this.#taken--;
          this.#waiting.shift()?.();
        }
        state = 'released';
      },
    };
  }
}
