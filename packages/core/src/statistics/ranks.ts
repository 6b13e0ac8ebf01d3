/** An entry's confidence interval, `low` <= `high`. */
export interface Interval {
  low: number;
  high: number;
}

export interface Rank {
  /** 1 + the number of significantly better entries. Ties share a rank. */
  rank: number;
  /** Best and worst rank that the intervals allow. */
  spread: [number, number];
}

/**
 * Counts for each limit how many values are strictly above, or below, it. The limits may be in any order. O(values * log
 * limits), because it sorts the few limits and not the many values.
 */
export function countBeyond(values: Float64Array, limits: readonly number[], side: 'above' | 'below'): number[] {
  const turn = side === 'above' ? 1 : -1;
  const order = limits.map((_, place) => place).sort((a, b) => turn * ((limits[a] as number) - (limits[b] as number)));
  const sorted = Float64Array.from(order, (place) => turn * (limits[place] as number));
  /** Number of values beyond exactly this many of the sorted limits. */
  const counts = new Int32Array(sorted.length + 1);
  const [first, last] = [sorted[0] as number, sorted.at(-1) as number];
  for (let place = 0; place < values.length; place += 1) {
    const value = turn * (values[place] as number);
    // The limits are those of one page, so nearly all values are beyond all of them or none.
    let from = last < value ? sorted.length : 0;
    let to = first < value ? sorted.length : 0;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((sorted[middle] as number) < value) from = middle + 1;
      else to = middle;
    }
    counts[from] = (counts[from] as number) + 1;
  }
  const beyond = limits.map(() => 0);
  let passed = 0;
  for (let place = sorted.length - 1; place >= 0; place -= 1) {
    passed += counts[place + 1] as number;
    beyond[order[place] as number] = passed;
  }
  return beyond;
}

/**
 * Ranks with ties, by the rule of the LMSYS Chatbot Arena: an entry is ahead of another only if its whole interval is. Ranks
 * are in the order of the entries. O(n log n).
 */
export function rankEntries(entries: readonly Interval[], direction: 'lower' | 'higher'): Rank[] {
  // For latencies, negate the intervals, so that higher is better.
  const intervals = direction === 'higher' ? entries : entries.map(({ low, high }) => ({ low: -high, high: -low }));
  const better = countBeyond(
    Float64Array.from(intervals, ({ low }) => low),
    intervals.map(({ high }) => high),
    'above',
  );
  const worse = countBeyond(
    Float64Array.from(intervals, ({ high }) => high),
    intervals.map(({ low }) => low),
    'below',
  );
  return intervals.map((_, place) => {
    const rank = 1 + (better[place] as number);
    return { rank, spread: [rank, entries.length - (worse[place] as number)] };
  });
}
