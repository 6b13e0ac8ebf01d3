import { sampleFloor } from './certificate.ts';

/** Percentiles of a latency that tables show, the smallest first. */
export const shownPercentiles = [50, 90, 95, 99] as const;
export type ShownPercentile = (typeof shownPercentiles)[number];

/** The shown percentiles that `n` samples support. */
export const supportedPercentiles = (n: number): ShownPercentile[] =>
  shownPercentiles.filter((p) => n >= sampleFloor(p));

/** The smallest shown percentile that `n` samples do not support, with the samples that it needs; null if there is none. */
export function nextPercentile(n: number): { percentile: ShownPercentile; samples: number } | null {
  const percentile = shownPercentiles.find((p) => n < sampleFloor(p));
  return percentile === undefined ? null : { percentile, samples: sampleFloor(percentile) };
}
