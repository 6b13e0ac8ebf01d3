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

/** How many of the sorted numbers are below `limit`. */
function countBelow(sorted: readonly number[], limit: number): number {
  let from = 0;
  let to = sorted.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((sorted[middle] ?? limit) < limit) from = middle + 1;
    else to = middle;
  }
  return from;
}

/**
 * Ranks with ties, after the rule of the LMSYS Chatbot Arena: an entry is ahead of another only if its whole interval
 * is. Ranks come in the order of the entries. O(n log n).
 */
export function rankEntries(entries: readonly Interval[], direction: 'lower' | 'higher'): Rank[] {
  // Latency is throughput mirrored: higher is better for the negated interval.
  const intervals = direction === 'higher' ? entries : entries.map(({ low, high }) => ({ low: -high, high: -low }));
  const ascending = (a: number, b: number) => a - b;
  const highs = intervals.map(({ high }) => high).sort(ascending);
  const negatedLows = intervals.map(({ low }) => -low).sort(ascending);
  return intervals.map(({ low, high }) => {
    const better = countBelow(negatedLows, -high);
    const worse = countBelow(highs, low);
    return { rank: better + 1, spread: [better + 1, entries.length - worse] };
  });
}
