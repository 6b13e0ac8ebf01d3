import { countBeyond } from '../statistics/ranks.ts';
import { confidenceInterval95 } from '../statistics/summary.ts';
import { type Assumption, assumptionOf } from './tool-scatter.ts';

export type Order = 'asc' | 'desc';

/** A value to place on a board. Rows arrive by value, best first; equal values undisputed first, then by system. */
export interface WalkedRow {
  /** The subject of one entry: a system, a model ... */
  subject: string;
  system: string;
  value: number;
  /** Number of values behind the mean, and their standard deviation. */
  n: number | null;
  sd: number | null;
  tools: readonly string[];
  isDisputed: boolean;
}

/** The place of an entry in board order. */
export interface EntryPlace {
  /** False for entries listed after the ranked ones, without a number. */
  isRanked: boolean;
  /** Sort key: its value, or the worse end of its interval if disputed. */
  key: number;
  isDisputed: boolean;
  system: string;
}

/** Requested entries: a number of entries after a known one. */
export interface BoardPage {
  limit: number;
  after: EntryPlace | null;
}

/** First and last place that an entry may have. `isAtLeast`: the last place may be further down. */
export interface RankSpread {
  first: number;
  last: number;
  isAtLeast: boolean;
}

export interface BoardEntry<R extends WalkedRow> {
  row: R;
  value: number;
  /** The interval used for ranking: that of its mean, or the assumed one of a single measurement, or the value alone. */
  interval: [low: number, high: number];
  assumed: Assumption | null;
  /** Null for an entry listed without a number. */
  rank: number | null;
  /** Based on the intervals; null for an entry without a rank. */
  spread: RankSpread | null;
  place: EntryPlace;
}

/** Places after a page within which the ends of rank ranges are exact, on a board without filters. */
export const spreadPlaces = 1000;

/** The same on a board with filters, where finding a place may take many rows. */
export const filteredSpreadPlaces = 100;

/** Maximum reach of usual intervals, as a share of their value. Wider ones are looked up separately. */
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
    const [low, high] = confidenceInterval95(value, sd, n ?? 0) ?? [value, value];
    return { low, high, assumed: null };
  }
  // Without a number of values, nothing is assumed.
  const assumed = n === 1 ? assumptionOf(tools, byTool) : null;
  const [low, high] = assumed?.factors ?? [1, 1];
  return { low: value * low, high: value * high, assumed };
}

/**
 * Ranks rows that arrive in order of their values until a page is known. Each subject uses its first row. A rank counts the
 * entries whose 95 % interval is completely beyond this one's, so that statistically indistinguishable entries share a rank.
 * A single measurement ranks by the interval assumed from its tool's repeated points. A disputed entry is placed at the
 * worse end of its interval, with the last rank that its interval allows.
 */
export class BoardWalk<R extends WalkedRow> {
  readonly #order: Order;
  readonly #isRanked: boolean;
  readonly #places: number;
  readonly #page: BoardPage | null;
  readonly #byTool: ReadonlyMap<string, Assumption>;
  /** Maximum reach of intervals that are not looked up separately; null if every entry must arrive. */
  readonly #reach: number | null;
  readonly #seen = new Set<string>();
  #entries: Entry<R>[] = [];
  #isSorted = true;
  /** The last value that arrived. Later values are no better. */
  #last = Number.NaN;
  #isAtEnd = false;

  /**
   * @param page null for all entries
   * @param places places after the page within which the ends of rank ranges are exact
   * @param findsWide whether the caller looks up entries with wide intervals among those that did not arrive: see
   * `unreached`
   */
  constructor({
    order,
    isRanked,
    page,
    byTool,
    places = spreadPlaces,
    findsWide = false,
  }: {
    order: Order;
    isRanked: boolean;
    page: BoardPage | null;
    places?: number;
    byTool: ReadonlyMap<string, Assumption>;
    findsWide?: boolean;
  }) {
    this.#order = order;
    this.#isRanked = isRanked;
    this.#places = places;
    this.#page = page;
    this.#byTool = byTool;
    const assumed = [...byTool.values()].map(({ factors }) => factors[1] - 1);
    this.#reach = findsWide ? Math.max(usualReach, ...assumed) : null;
  }

  /**
   * Adds the next rows; returns false once the page is known.
   *
   * @param last value of the last row that was read, if rows of known subjects were left out at the end
   */
  take(rows: readonly R[], last: number | null = null): boolean {
    for (const row of rows) {
      this.#last = row.value;
      if (this.#seen.has(row.subject)) continue;
      this.#seen.add(row.subject);
      const { low, high, assumed } = intervalOf(row, this.#byTool);
      const worse = this.#order === 'desc' ? low : high;
      const { isDisputed, system } = row;
      const place = { isRanked: this.#isRanked, key: isDisputed ? worse : row.value, isDisputed, system };
      const before = this.#entries.at(-1);
      // A disputed entry may be placed after this one.
      if (before !== undefined && this.#compare(before.place, place) > 0) this.#isSorted = false;
      this.#entries.push({ row, low, high, assumed, place });
    }
    if (last !== null) this.#last = last;
    return !this.#isKnown();
  }

  /** Whether a row of a subject has arrived. */
  has(subject: string): boolean {
    return this.#seen.has(subject);
  }

  /** Marks the end of the rows. */
  end(): void {
    this.#isAtEnd = true;
  }

  #isKnown(): boolean {
    const page = this.#page;
    if (page === null || this.#entries.length <= page.limit) return false;
    this.#sort();
    const start = this.#startOf(page);
    // Later rows may equal the last value, and disputed entries still wait for their places.
    const isPast = (count: number) => {
      const last = this.#entries[start + count - 1];
      return last !== undefined && this.#apart(last.place.key, this.#last) < 0;
    };
    if (!isPast(page.limit + 1)) return false;
    return !this.#isRanked || this.#isBeyondReach(page) || isPast(page.limit + 1 + this.#places);
  }

  /** The worse end of an interval. Entries that reach it may have the same place. */
  #endOf({ low, high }: Entry<R>): number {
    return this.#order === 'desc' ? low : high;
  }

  /** Whether no usual interval around a value, or a worse one, reaches an end. */
  #isOutOfReach(value: number, end: number): boolean {
    if (this.#reach === null || this.#reach >= 1 || !(end > 0)) return false;
    return this.#order === 'desc' ? value * (1 + this.#reach) < end : value * (1 - this.#reach) > end;
  }

  /** The entries of a page and the next one. */
  #shownOf(page: BoardPage): Entry<R>[] {
    const start = this.#startOf(page);
    return this.#entries.slice(start, start + page.limit + 1);
  }

  /** True if the last value is so far beyond the page that no usual interval of a later row reaches it. */
  #isBeyondReach(page: BoardPage): boolean {
    return this.#shownOf(page).every((entry) => this.#isOutOfReach(this.#last, this.#endOf(entry)));
  }

  /** The entries whose places are counted. The batch size must not affect them. */
  #countedFor(page: BoardPage): Entry<R>[] {
    return this.#entries.slice(0, this.#startOf(page) + page.limit + this.#places);
  }

  /** The entries of the page that no other entry reaches, unless it did not arrive and has a wide interval. */
  #exactOn(page: BoardPage): Entry<R>[] {
    const counted = this.#countedFor(page);
    const others = this.#entries.slice(counted.length);
    const last = others.length === 0 ? this.#last : (counted.at(-1)?.place.key ?? this.#last);
    return this.#shownOf(page).filter((entry) => {
      const end = this.#endOf(entry);
      const isReached = ({ low, high }: Entry<R>) => (this.#order === 'desc' ? high >= end : low <= end);
      return this.#isOutOfReach(last, end) && !others.some(isReached);
    });
  }

  /**
   * Returns the last value that arrived, and the end of the page that a later wide interval would have to reach to change a
   * rank range. Null if no rank range depends on it.
   */
  unreached(): { last: number; end: number } | null {
    if (this.#page === null || this.#isAtEnd || !this.#isRanked) return null;
    this.#sort();
    const ends = this.#exactOn(this.#page).map((entry) => this.#endOf(entry));
    if (ends.length === 0) return null;
    return { last: this.#last, end: this.#order === 'desc' ? Math.min(...ends) : Math.max(...ends) };
  }

  /** Negative if the first of two keys sorts first. */
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
   * Returns the entries of the page in order, plus the next one if there is one.
   *
   * @param isReached whether a later wide interval reaches the end that `unreached` returned
   */
  entries({ isReached = true } = {}): BoardEntry<R>[] {
    this.#sort();
    const shown = this.#page === null ? this.#entries : this.#shownOf(this.#page);
    const spreads = this.#isRanked ? this.#spreadsOf(shown, isReached) : null;
    return shown.map((entry, at): BoardEntry<R> => {
      const { row, low, high, assumed, place } = entry;
      const spread = spreads?.[at] ?? null;
      const rank = spread === null ? null : place.isDisputed ? spread.last : spread.first;
      return { row, value: row.value, interval: [low, high], assumed, rank, spread, place };
    });
  }

  #spreadsOf(shown: readonly Entry<R>[], isReached: boolean): RankSpread[] {
    const page = this.#page;
    const counted = page === null ? this.#entries : this.#countedFor(page);
    const isAll = this.#isAtEnd && counted.length === this.#entries.length;
    const exact = new Set(isAll ? shown : page === null || isReached ? [] : this.#exactOn(page));
    const [lows, highs] = [counted.map(({ low }) => low), counted.map(({ high }) => high)];
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
    return shown.map((entry, at) => ({
      first: 1 + (better[at] ?? 0),
      last: counted.length - (worse[at] ?? 0),
      isAtLeast: !exact.has(entry),
    }));
  }
}
