/** Stamps of chunks by request, as one thread hands them over: row `r` has those from `offsets[r]` to `offsets[r + 1]`. */
export interface ChunkStamps {
  offsets: Uint32Array<ArrayBuffer>;
  stamps: Float64Array<ArrayBuffer>;
}

/** Events in the order of arrival: which row, and when. */
export interface EventCopy {
  rows: Uint32Array<ArrayBuffer>;
  stamps: Float64Array<ArrayBuffer>;
}

type Rows = Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer>;

interface Page {
  stamps: Float64Array<ArrayBuffer>;
  rows: Rows;
}

/**
 * Events of a page. A page that was read is to go back to the system at once, or sorting takes as much memory again. The C
 * library does that for blocks larger than any it got back before, so a warm-up has small ones, and a long run large ones.
 */
const pageEvents = { few: 16_384, many: 524_288 };
/** 384 MiB at most: an endless answer must not take the machine with it. */
const eventsMax = 2 ** 25;
/** Those that pages are made for before the clock starts. */
const eventsAheadMax = 2 ** 22;

/** Sorts a row whose events were not all read in the order they came. */
function sortRows({ offsets, stamps }: ChunkStamps): void {
  for (let row = 0; row + 1 < offsets.length; row++) {
    const [from = 0, to = 0] = [offsets[row], offsets[row + 1]];
    for (let at = from + 1; at < to; at++) {
      if ((stamps[at] ?? 0) >= (stamps[at - 1] ?? 0)) continue;
      stamps.subarray(from, to).sort();
      break;
    }
  }
}

/** When each chunk of each request came, in the order of arrival: 10 bytes an event, in pages made ahead. */
export class EventLog {
  readonly #rows: number;
  readonly #pageEvents: number;
  readonly #pagesMax: number;
  #pages: Page[] = [];
  #page: Page;
  #spares: Page[];
  #used = 0;
  isFull = false;

  /** @param rows of more than 65 536, an event takes 12 bytes */
  constructor(expectedEvents: number, rows: number) {
    this.#rows = rows;
    this.#pageEvents = expectedEvents < pageEvents.many ? pageEvents.few : pageEvents.many;
    this.#pagesMax = eventsMax / this.#pageEvents;
    const pages = Math.ceil(Math.min(eventsAheadMax, expectedEvents) / this.#pageEvents);
    this.#spares = Array.from({ length: pages }, () => this.#makePage());
    this.#page = this.#makePage();
  }

  #makePage(): Page {
    const rows: Rows = this.#rows <= 65_536 ? new Uint16Array(this.#pageEvents) : new Uint32Array(this.#pageEvents);
    return { stamps: new Float64Array(this.#pageEvents), rows };
  }

  add(row: number, at: number): void {
    if (this.#used === this.#pageEvents) this.#turn();
    if (this.isFull) return;
    this.#page.stamps[this.#used] = at;
    this.#page.rows[this.#used] = row;
    this.#used++;
  }

  #turn(): void {
    if (this.#pages.length >= this.#pagesMax) {
      this.isFull = true;
      return;
    }
    this.#pages.push(this.#page);
    this.#page = this.#spares.pop() ?? this.#makePage();
    this.#used = 0;
  }

  /** Events so far. */
  get count(): number {
    return this.#pages.length * this.#pageEvents + this.#used;
  }

  /** Copies of the events after the first `from`, in the order of arrival. */
  since(from: number): EventCopy {
    const pages = [...this.#pages, this.#page];
    const count = this.count;
    const rows = new Uint32Array(count - from);
    const stamps = new Float64Array(count - from);
    for (let at = from; at < count; ) {
      const page = pages[Math.floor(at / this.#pageEvents)];
      const start = at % this.#pageEvents;
      const end = Math.min(this.#pageEvents, start + count - at);
      if (page === undefined) break;
      rows.set(page.rows.subarray(start, end), at - from);
      stamps.set(page.stamps.subarray(start, end), at - from);
      at += end - start;
    }
    return { rows, stamps };
  }

  /** Sorted by row; the log is empty afterwards. A page is let go as soon as it was read, so that memory does not double. */
  take(): ChunkStamps {
    const rows = this.#rows;
    const pages = [...this.#pages, this.#page];
    const last = this.#used;
    const lengthOf = (place: number) => (place === pages.length - 1 ? last : this.#pageEvents);
    const offsets = new Uint32Array(rows + 1);
    let total = 0;
    pages.forEach((page, place) => {
      const length = lengthOf(place);
      total += length;
      for (let at = 0; at < length; at++) {
        const row = page.rows[at] ?? 0;
        offsets[row + 1] = (offsets[row + 1] ?? 0) + 1;
      }
    });
    for (let row = 0; row < rows; row++) offsets[row + 1] = (offsets[row + 1] ?? 0) + (offsets[row] ?? 0);
    const next = offsets.slice();
    const stamps = new Float64Array(total);
    pages.forEach((page, place) => {
      const length = lengthOf(place);
      for (let at = 0; at < length; at++) {
        const row = page.rows[at] ?? 0;
        const to = next[row] ?? 0;
        stamps[to] = page.stamps[at] ?? 0;
        next[row] = to + 1;
      }
      page.stamps.buffer.transfer(0);
      page.rows.buffer.transfer(0);
    });
    this.#pages = [];
    this.#page = this.#makePage();
    this.#used = 0;
    const taken = { offsets, stamps };
    sortRows(taken);
    return taken;
  }
}
