import type { PlanPoint } from '@inferboard/core/plans/point';
import type { MeasuredPoint } from '../points/measure-point.ts';

/** Decides which point to measure next, from the points measured so far. */
export interface PointSource {
  /** `skipped`: points that the server cannot hold. */
  next(measured: readonly MeasuredPoint[], skipped: readonly PlanPoint[]): PlanPoint | null;
  /** Requests in total, as far as that is known before the end. */
  requests(measured: readonly MeasuredPoint[], point: PlanPoint): number;
  /** What to print after the table, and whether the search or the repetitions reached their goal. */
  conclude(measured: readonly MeasuredPoint[], skipped: readonly PlanPoint[]): { lines: string[]; isReached: boolean };
  /** True if a point that failures ended does not end the measurement. */
  toleratesFailures: boolean;
}

const requestsOf = (points: readonly PlanPoint[]) => points.reduce((sum, { requests }) => sum + requests, 0);

/** The requests of the points so far and of the next one: of a source that decides as it goes. */
export const requestsSoFar: PointSource['requests'] = (measured, point) =>
  requestsOf([...measured.map((one) => one.point), point]);

/** The points of a plan, in order. */
export function plannedPoints(points: readonly PlanPoint[]): PointSource {
  return {
    next: (measured, skipped) => points[measured.length + skipped.length] ?? null,
    requests: () => requestsOf(points),
    conclude: () => ({ lines: [], isReached: true }),
    toleratesFailures: false,
  };
}
