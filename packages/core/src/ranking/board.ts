import { countBeyond } from '../statistics/ranks.ts';
import { studentT } from '../statistics/student-t.ts';
import { type Assumption, assumptionOf } from './tool-scatter.ts';

export type Order = 'asc' | 'desc';

/** A value on its way onto a board. Rows come by value, the first places first; of equal ones undisputed, then by system. */
export interface WalkedRow {
  /** What has one entry: a system, a model ... */
  subject: string;
  system: string;
  value: number;
  /** How many values it is the mean of, and their standard deviation. */
  n: number | null;
  sd: number | null;
  tools: readonly string[];
  isDisputed: boolean;
}

/** The place of an entry in the order of its board. */
export interface EntryPlace {
  /** False of what is listed behind the ranked entries, without a number. */
  isRanked: boolean;
  /** What it is ordered by: its value, or the worse end of its interval where it is disputed. */
  key: number;
  isDisputed: boolean;
  system: string;
}

/** Entries to answer: so many, after one that was seen. */
export interface BoardPage {
  limit: number;
  after: EntryPlace | null;
}

/** First and last place that an entry could hold; `isAtLeast`: the last may be further behind. */
export interface RankSpread {
  first: number;
  last: number;
  isAtLeast: boolean;
}

export interface BoardEntry<R extends WalkedRow> {
  row: R;
  value: number;
  /** The interval it ranks by: that of its mean, or the one assumed of a single measurement, or its value alone. */
  interval: [low: number, high: number];
  assumed: Assumption | null;
  /** Null of an entry that is listed without a number. */
  rank: number | null;
  /** By the intervals; null of an entry without a rank. */
  spread: RankSpread | null;
  place: EntryPlace;
}

/** Places behind a page within which the ends of rank ranges are exact. */
export const spreadPlaces = 1000;

/** Intervals that reach no further than this share of their value are usual; those that do are looked for by themselves. */
export const usualReach = 0.2;

interface Entry<R> {
  row: R;
  low: number;
  high: number;
  assumed: Assumption | null;
  place: EntryPlace;
}

function intervalOf({ value, n, sd, tools }: WalkedRow, byTool: ReadonlyMap<string, Assumption>) {
  if (sd !== null) {
    if (n === null || n < 2) return { low: value, high: value, assumed: null };
    const half = (studentT(0.95, n - 1) * sd) / Math.sqrt(n);
    return { low: value - half, high: value + half, assumed: null };
  }
  // Without a number of values nothing is assumed either.
  const assumed = n === 1 ? assumptionOf(tools, byTool) : null;
  const [low, high] = assumed?.factors ?? [1, 1];
  return { low: value * low, high: value * high, assumed };
}

/**
 * Ranks rows that are walked in the order of their values, each subject by its first one, until a page is known. Ranks
 * count the entries whose 95 % interval lies wholly beyond this one's, so that entries which the data cannot tell apart
 * share a rank; a single measurement ranks by the interval assumed from its tool's repeated points. A disputed entry
 * stands where the worse end of its interval is, with the last of the places that its interval allows.
 */
export class BoardWalk<R extends WalkedRow> {
  readonly #order: Order;
  readonly #isRanked: boolean;
  readonly #page: BoardPage | null;
  readonly #byTool: ReadonlyMap<string, Assumption>;
  /** How far the intervals reach that are not looked for by themselves; null where every entry has to come. */
  readonly #reach: number | null;
  readonly #seen = new Set<string>();
  #entries: Entry<R>[] = [];
  #isSorted = true;
  /** The last value that came: what comes later is no better. */
  #last = Number.NaN;
  #isAtEnd = false;

  /**
   * @param page null for all entries
   * @param findsWide whether the caller looks for entries with wide intervals among those that did not come: see `unreached`
   */
  constructor({
    order,
    isRanked,
    page,
    byTool,
    findsWide = false,
  }: {
    order: Order;
    isRanked: boolean;
    page: BoardPage | null;
    byTool: ReadonlyMap<string, Assumption>;
    findsWide?: boolean;
  }) {
    this.#order = order;
    this.#isRanked = isRanked;
    this.#page = page;
    this.#byTool = byTool;
    const assumed = [...byTool.values()].map(({ factors }) => factors[1] - 1);
    this.#reach = findsWide ? Math.max(usualReach, ...assumed) : null;
  }

  /** Takes the next rows; false once the page is known. */
  take(rows: readonly R[]): boolean {
    for (const row of rows) {
      this.#last = row.value;
      if (this.#seen.has(row.subject)) continue;
      this.#seen.add(row.subject);
      const { low, high, assumed } = intervalOf(row, this.#byTool);
      const worse = this.#order === 'desc' ? low : high;
      const { isDisputed, system } = row;
      const place = { isRanked: this.#isRanked, key: isDisputed ? worse : row.value, isDisputed, system };
      const before = this.#entries.at(-1);
      // A disputed entry may wait for its place behind this one.
      if (before !== undefined && this.#compare(before.place, place) > 0) this.#isSorted = false;
      this.#entries.push({ row, low, high, assumed, place });
    }
    return !this.#isKnown();
  }

  /** There are no more rows. */
  end(): void {
    this.#isAtEnd = true;
  }

  #isKnown(): boolean {
    const page = this.#page;
    if (page === null || this.#entries.length <= page.limit) return false;
    this.#sort();
    const start = this.#startOf(page);
    // What comes may still be level with the last value, and disputed entries wait for their places.
    const isPast = (count: number) => {
      const last = this.#entries[start + count - 1];
      return last !== undefined && this.#apart(last.place.key, this.#last) < 0;
    };
    if (!isPast(page.limit + 1)) return false;
    return !this.#isRanked || this.#isBeyondReach() || isPast(page.limit + 1 + spreadPlaces);
  }

  /** The worst end of the intervals of the page: entries that reach it may hold a place of the page's. */
  #worstEnd(page: BoardPage): number {
    const start = this.#startOf(page);
    const shown = this.#entries.slice(start, start + page.limit + 1);
    return this.#order === 'desc'
      ? Math.min(...shown.map(({ low }) => low))
      : Math.max(...shown.map(({ high }) => high));
  }

  /** Whether the last value is so far behind the page that no usual interval of what comes reaches it. */
  #isBeyondReach(): boolean {
    if (this.#reach === null || this.#page === null || this.#reach >= 1) return false;
    const end = this.#worstEnd(this.#page);
    if (!(end > 0)) return false;
    return this.#order === 'desc' ? this.#last * (1 + this.#reach) < end : this.#last * (1 - this.#reach) > end;
  }

  /**
   * Where the walk stopped because no usual interval reaches the page any more: the last value that came, and the end of the
   * page that a wide interval of an entry behind it would have to reach. Null where it stopped otherwise.
   */
  unreached(): { last: number; end: number } | null {
    if (this.#page === null || this.#isAtEnd || !this.#isRanked || !this.#isBeyondReach()) return null;
    return { last: this.#last, end: this.#worstEnd(this.#page) };
  }

  /** Below 0 where the first of two keys comes first. */
  #apart(a: number, b: number): number {
    return this.#order === 'desc' ? b - a : a - b;
  }

  #compare(a: EntryPlace, b: EntryPlace): number {
    return (
      this.#apart(a.key, b.key) ||
      Number(a.isDisputed) - Number(b.isDisputed) ||
      (a.system < b.system ? -1 : Number(a.system > b.system))
    );
  }

  #sort(): void {
    if (this.#isSorted) return;
    this.#entries.sort((a, b) => this.#compare(a.place, b.place));
    this.#isSorted = true;
  }

  /** The place of the first entry of a page. */
  #startOf({ after }: BoardPage): number {
    if (after === null || (after.isRanked && !this.#isRanked)) return 0;
    if (!after.isRanked && this.#isRanked) return this.#entries.length;
    const start = this.#entries.findIndex(({ place }) => this.#compare(place, after) > 0);
    return start < 0 ? this.#entries.length : start;
  }

  /**
   * The entries of the page in their order, and one more where there is one.
   *
   * @param isReached true where no entry behind those that came reaches the page
   */
  entries({ isReached = false } = {}): BoardEntry<R>[] {
    this.#sort();
    const start = this.#page === null ? 0 : this.#startOf(this.#page);
    const shown = this.#entries.slice(start, this.#page === null ? undefined : start + this.#page.limit + 1);
    const spreads = this.#isRanked ? this.#spreadsOf(shown, start, isReached) : null;
    return shown.map(({ row, low, high, assumed, place }, at): BoardEntry<R> => {
      const spread = spreads?.[at] ?? null;
      const rank = spread === null ? null : place.isDisputed ? spread.last : spread.first;
      return { row, value: row.value, interval: [low, high], assumed, rank, spread, place };
    });
  }

  #spreadsOf(shown: readonly Entry<R>[], start: number, isReached: boolean): RankSpread[] {
    // The number of rows fetched at once changes nothing.
    const known = this.#page === null ? this.#entries : this.#entries.slice(0, start + this.#page.limit + spreadPlaces);
    const isAll = (this.#isAtEnd || isReached) && known.length === this.#entries.length;
    const [lows, highs] = [known.map(({ low }) => low), known.map(({ high }) => high)];
    const above = countBeyond(
      Float64Array.from(lows),
      shown.map(({ high }) => high),
      'above',
    );
    const below = countBeyond(
      Float64Array.from(highs),
      shown.map(({ low }) => low),
      'below',
    );
    const [better, worse] = this.#order === 'desc' ? [above, below] : [below, above];
    return shown.map((_, at) => ({
      first: 1 + (better[at] ?? 0),
      last: known.length - (worse[at] ?? 0),
      isAtLeast: !isAll,
    }));
  }
}
