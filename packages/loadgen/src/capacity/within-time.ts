import type { PlanPoint } from '@inferboard/core/plans/point';
import type { MeasuredPoint } from '../points/measure-point.ts';
import { listPoints } from '../points/point-name.ts';
import type { PointSource } from './point-source.ts';

/** Time that the measured requests of points took: from the first request to the end of the last response. */
const sentS = (measured: readonly MeasuredPoint[]) =>
  measured.reduce((sum, { record }) => sum + record.duration_ms / 1000, 0);

/**
 * The source within a time of sending over all points; null: no limit. No point starts after that time, although responses
 * make points longer than their share of it. `left`: the names of the points that are then not measured.
 */
export function withinTime(
  source: PointSource,
  durationS: number | null,
  left: (measured: readonly MeasuredPoint[], skipped: readonly PlanPoint[]) => readonly string[],
): PointSource {
  if (durationS === null) return source;
  return {
    ...source,
    next: (measured, skipped) => {
      const leftS = durationS - sentS(measured);
      const point = leftS > 0 ? source.next(measured, skipped) : null;
      return point === null ? null : { ...point, durationMaxS: Math.min(leftS, point.durationMaxS ?? leftS) };
    },
    conclude: (measured, skipped) => {
      const { lines, isReached } = source.conclude(measured, skipped);
      const unmeasured = sentS(measured) < durationS ? [] : left(measured, skipped);
      if (unmeasured.length === 0) return { lines, isReached };
      return {
        lines: [...lines, `! Not measured, because the time of --duration-s was over: ${listPoints(unmeasured)}.`],
        isReached,
      };
    },
  };
}
