import type { Entry } from '../../../lib/api.ts';

/**
 * An entry of a cost ranking with the statistics of its cost. The API returns those of tokens per GPU-second, of which cost is
 * the inverse: the bounds swap, and a standard deviation in tokens does not apply to dollars.
 */
function toCost(entry: Entry, cost: number): Entry {
  const { statistics } = entry;
  // Dollars per million tokens times tokens per second: the same for all values of the point.
  const factor = cost * statistics.mean;
  const invert = (value: number) => factor / value;
  const invertOrNull = (value: number | null) => (value === null ? null : invert(value));
  // If the interval of the rate includes zero, the cost has no upper end.
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

/** The entries of a response with the values of the ranked quantity. */
export function toEntries(entries: readonly Entry[]): Entry[] {
  return entries.map((entry) => {
    const cost = entry.usd_per_mtok_output ?? null;
    return cost === null ? entry : toCost(entry, cost);
  });
}
