import type { Entry } from './api.ts';

/**
 * An entry of a ranking by cost with the statistics of its cost. The API's are those of tokens per GPU and second, which
 * cost is the inverse of: bounds change places, and a scatter in tokens is none in dollars.
 */
function toCost(entry: Entry, cost: number): Entry {
  const { statistics } = entry;
  // Dollars per million tokens times tokens a second: the same for every value of the point.
  const factor = cost * statistics.mean;
  const invert = (value: number) => factor / value;
  const invertOrNull = (value: number | null) => (value === null ? null : invert(value));
  // A rate whose interval reaches zero leaves the cost without an upper end.
  const turn = ([low, high]: [number, number]): [number, number] => [
    invert(high),
    low > 0 ? invert(low) : Number.POSITIVE_INFINITY,
  ];
  return {
    ...entry,
    statistics: {
      ...statistics,
      mean: cost,
      sd: null,
      median: invertOrNull(statistics.median),
      min: invertOrNull(statistics.max),
      max: invertOrNull(statistics.min),
      ci95: statistics.ci95 === null ? null : turn(statistics.ci95),
      assumed:
        statistics.assumed === null ? null : { ...statistics.assumed, interval: turn(statistics.assumed.interval) },
      outliers: statistics.outliers.map((outlier) => ({ ...outlier, value: invert(outlier.value) })),
      runs: statistics.runs.map((run) => ({ ...run, value: invert(run.value) })),
    },
  };
}

/** The entries of an answer as a board shows them: by what they are ranked by. */
export function toEntries(entries: readonly Entry[]): Entry[] {
  return entries.map((entry) => {
    const cost = entry.usd_per_mtok_output ?? null;
    return cost === null ? entry : toCost(entry, cost);
  });
}
