/** An entry's confidence interval, `low` <= `high`. */
export interface Interval {
  low: number;
  high: number;
}

export interface Rank {
  /** 1 + the number of entries that are better beyond doubt. Ties share a rank. */
  rank: number;
  /** Best and worst rank the intervals allow. */
  spread: [number, number];
}

/**
 * For each limit how many of the values lie strictly above, or below, it; the limits in any order. O(values * log limits):
 * the few limits are sorted, not the many values.
 */
export function countBeyond(values: Float64Array, limits: readonly number[], side: 'above' | 'below'): number[] {
  const turn = side === 'above' ? 1 : -1;
  const order = limits.map((_, place) => place).sort((a, b) => turn * ((limits[a] as number) - (limits[b] as number)));
  const sorted = Float64Array.from(order, (place) => turn * (limits[place] as number));
  /** Values beyond as many of the sorted limits. */
  const counts = new Int32Array(sorted.length + 1);
  const [first, last] = [sorted[0] as number, sorted.at(-1) as number];
  for (let place = 0; place < values.length; place += 1) {
    const value = turn * (values[place] as number);
    // Limits are those of a page: nearly all values lie beyond all of them, or none.
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
 * Ranks with ties, after the rule of the LMSYS Chatbot Arena: an entry is ahead of another only if its whole interval
 * is. Ranks come in the order of the entries. O(n log n).
 */
export function rankEntries(entries: readonly Interval[], direction: 'lower' | 'higher'): Rank[] {
  // Latency is throughput mirrored: higher is better for the negated interval.
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
