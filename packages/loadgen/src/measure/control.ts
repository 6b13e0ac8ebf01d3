/** Counters that all threads of a run share. */
const places = { next: 0, tokens: 1, done: 2, failed: 3, inFlight: 4, failuresInRow: 5 };
const perThreadAt = 6;

export interface Counts {
  /** Ended well. */
  done: number;
  /** Ended otherwise, or dropped. */
  failed: number;
  in_flight: number;
  /** Output tokens of ended requests, and chunks of those under way. */
  tokens: number;
}

export interface Control {
  memory: SharedArrayBuffer;
  /** The next row of a closed loop, for the first thread that takes it. */
  takeNext(): number;
  onBegin(): void;
  onEnd(isOk: boolean, tokens: number): void;
  onDropped(): void;
  /** Chunks so far of the requests that a thread has under way. */
  setLive(thread: number, chunks: number): void;
  /** Output tokens of ended requests, and chunks of those under way. */
  tokens(): number;
  counts(): Counts;
  /** Requests that failed since the last one that ended well. */
  failuresInRow(): number;
}

/** Opens the counters in memory that another thread created. */
export function openControl(memory: SharedArrayBuffer): Control {
  const cells = new Int32Array(memory);
  const read = (place: number) => Atomics.load(cells, place);
  const tokens = () => {
    let sum = read(places.tokens);
    for (let place = perThreadAt; place < cells.length; place++) sum += read(place);
    return sum;
  };
  return {
    memory,
    takeNext: () => Atomics.add(cells, places.next, 1),
    onBegin: () => {
      Atomics.add(cells, places.inFlight, 1);
    },
    onEnd: (isOk, tokens) => {
      Atomics.sub(cells, places.inFlight, 1);
      Atomics.add(cells, isOk ? places.done : places.failed, 1);
      Atomics.add(cells, places.tokens, tokens);
      if (isOk) Atomics.store(cells, places.failuresInRow, 0);
      else Atomics.add(cells, places.failuresInRow, 1);
    },
    onDropped: () => {
      Atomics.add(cells, places.failed, 1);
    },
    setLive: (thread, chunks) => {
      Atomics.store(cells, perThreadAt + thread, chunks);
    },
    tokens,
    failuresInRow: () => read(places.failuresInRow),
    counts: () => ({
      done: read(places.done),
      failed: read(places.failed),
      in_flight: read(places.inFlight),
      tokens: tokens(),
    }),
  };
}

export function createControl(threads: number): Control {
  return openControl(new SharedArrayBuffer((perThreadAt + threads) * Int32Array.BYTES_PER_ELEMENT));
}
