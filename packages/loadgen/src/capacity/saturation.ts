import { percentileOf } from '../measure/records/percentiles.ts';
import type { Observation, SearchOptions } from './search.ts';

/** Throughput that grows by less than this share of the growth in users is flat. */
const flatShare = 0.1;

/** The lowest load at which requests queue while the throughput is flat. */
export function saturationOf(history: readonly Observation[], mode: SearchOptions['mode']): number | null {
  const sorted = history.toSorted((a, b) => a.level - b.level);
  const found = sorted.find((high, at) => {
    if (high.isSaturated) return true;
    if (mode === 'rate' || high.completed_req_s === null) return false;
    const rate = high.completed_req_s;
    const low = sorted.slice(0, at).findLast(({ level }) => level <= high.level / 1.2);
    if (low?.completed_req_s == null) return false;
    return rate / low.completed_req_s - 1 < flatShare * (high.level / low.level - 1);
  });
  return found?.level ?? null;
}

/** Points in each half of a search at least, for a comparison of the server's speed. */
const pointsOfHalfLeast = 2;
/** Below this share of its first speed, the server became slower. */
const slowerShare = 0.9;
/** Loads within this factor of the capacity are compared: many servers complete less if more requests wait. */
const near = 1.25;

const median = (rates: readonly number[]) => percentileOf(Float64Array.from(rates).sort(), 50);

/**
 * Median rates of completed requests in the first and in the last half of the points at full load near a load, in req/s; null
 * unless the last is lower by a tenth. `history` is in the order in which the points were measured. Full load: the saturated
 * points of a rate, or those with at least `saturatedFrom` users.
 */
export function slowdownOf(
  history: readonly Observation[],
  { mode, at, saturatedFrom }: { mode: SearchOptions['mode']; at: number | null; saturatedFrom: number | null },
): { first: number; last: number } | null {
  if (at === null || saturatedFrom === null) return null;
  const rates = history.flatMap(({ level, completed_req_s: rate, isSaturated }) => {
    const isFull = mode === 'rate' ? isSaturated : level >= saturatedFrom;
    return rate !== null && isFull && level <= near * at && level >= at / near ? [rate] : [];
  });
  const half = Math.floor(rates.length / 2);
  if (half < pointsOfHalfLeast) return null;
  const [first, last] = [median(rates.slice(0, half)), median(rates.slice(-half))];
  return last < slowerShare * first ? { first, last } : null;
}
