import { latencyStatistics } from '../metrics/metric.ts';
import type { Certificate } from '../records.ts';
import { sampleFloor, upperBoundRank } from '../statistics/certificate.ts';

type Statistic = (typeof latencyStatistics)[number];

/** One statistic of samples: see `RecomputedFigure`. */
export interface SampleStatistic {
  statistic: Statistic;
  value: number | null;
  low: number;
  high: number;
  /** For a percentile; null for the others. */
  certificate: Certificate | null;
}

const at = (sorted: Float64Array, index: number): number =>
  sorted[Math.min(sorted.length - 1, Math.max(0, index))] ?? Number.NaN;

/** Percentile `p` (0..100) of at least one sorted value, with linear interpolation between the nearest ranks. */
function percentileOf(sorted: Float64Array, p: number): number {
  const rank = (p * (sorted.length - 1)) / 100;
  const [below, above] = [at(sorted, Math.floor(rank)), at(sorted, Math.ceil(rank))];
  return below + (above - below) * (rank - Math.floor(rank));
}

/** A percentile with the order statistics that bound every common interpolation method. */
function percentileStatistic(sorted: Float64Array, statistic: Statistic, p: number): SampleStatistic {
  const n = sorted.length;
  const value = percentileOf(sorted, p);
  const floor = sampleFloor(p);
  const rank = upperBoundRank(n, p);
  const certified = n >= floor;
  const place = (p * n) / 100;
  return {
    statistic,
    value: certified ? value : null,
    low: at(sorted, Math.floor(place) - 1),
    high: at(sorted, Math.ceil(place)),
    certificate: { n, floor, value, upper99: rank === null ? null : at(sorted, rank - 1), certified },
  };
}

/** Mean and sum of squared deviations, calculated in two passes. */
function moments(values: Float64Array): { mean: number; squares: number } {
  let sum = 0;
  for (const value of values) sum += value;
  const mean = sum / values.length;
  let squares = 0;
  for (const value of values) squares += (value - mean) ** 2;
  return { mean, squares };
}

const exactly = (statistic: Statistic, value: number): SampleStatistic => ({
  statistic,
  value,
  low: value,
  high: value,
  certificate: null,
});

/** Calculates every statistic of at least one value, in the values' unit. Sorts the values in place: O(n log n). */
export function sampleStatistics(values: Float64Array): SampleStatistic[] {
  const n = values.length;
  values.sort();
  const { mean, squares } = moments(values);
  // The sample deviation of one value is undefined; tools that divide by n print 0.
  const sd = n < 2 ? null : Math.sqrt(squares / (n - 1));
  return latencyStatistics.map((statistic) => {
    if (statistic === 'mean') return exactly(statistic, mean);
    if (statistic === 'min') return exactly(statistic, at(values, 0));
    if (statistic === 'max') return exactly(statistic, at(values, n - 1));
    if (statistic === 'sd')
      return { statistic, value: sd, low: Math.sqrt(squares / n), high: sd ?? 0, certificate: null };
    return percentileStatistic(values, statistic, Number(statistic.slice(1)));
  });
}
