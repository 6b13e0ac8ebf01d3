import { randomUUID } from 'node:crypto';
import type { PlanPoint } from '@inferboard/core/plans/point';
import type { AskedPlan } from '@inferboard/core/plans/read-plan';
import { findPoints } from '../capacity/find-source.ts';
import { type PointSource, plannedPoints } from '../capacity/point-source.ts';
import { repeatedPoints } from '../capacity/until-source.ts';
import { withinTime } from '../capacity/within-time.ts';
import type { Side } from '../compare-servers/paired.ts';
import { interleave } from '../compare-servers/session.ts';
import { pointName } from '../points/point-name.ts';
import type { MeasureOptions } from './options.ts';

/** Which points are measured, in which order and on which server. */
export interface Schedule {
  source: PointSource;
  /** Points in all; null where the source decides. */
  points: number | null;
  /** A session that compares two servers; null with one server. */
  session: { id: string } | null;
  /** The server of a point by its place, skipped points included. */
  sideOf(at: number): Side;
}

/** Whether what is left of a measurement follows from its options alone. */
export const isResumable = ({ find, until, against }: MeasureOptions): boolean =>
  find === null && until === null && against === null;

/** The schedule of the points that a plan has left. `asked`: the plan with the workload that is sent. */
export function scheduleOf(
  options: MeasureOptions,
  asked: AskedPlan,
  points: readonly PlanPoint[],
  seed: number,
): Schedule {
  const { durationS } = options.plan.limits;
  const planned = (list: readonly { point: PlanPoint; side: Side | null }[]) =>
    withinTime(plannedPoints(list.map(({ point }) => point)), durationS, (measured, skipped) =>
      list.slice(measured.length + skipped.length).map(({ point, side }) => pointName(point, side)),
    );
  const one = { session: null, sideOf: (): Side => 'a' };
  if (options.against !== null) {
    const order = interleave(points, seed);
    const source = planned(order);
    const sideOf = (at: number) => order[at]?.side ?? 'a';
    return { source, points: order.length, session: { id: randomUUID() }, sideOf };
  }
  if (options.find !== null) {
    const { scenario } = (typeof asked.plan === 'string' ? null : asked.plan[0]) ?? options.find;
    return { ...one, source: findPoints({ ...options.find, scenario, seed }), points: null };
  }
  if (options.until !== null) {
    const firsts = points.filter(({ repetition }) => repetition === 1);
    const source = withinTime(repeatedPoints(firsts, options.until), durationS, (measured, skipped) => {
      const keys = new Set([...measured.map(({ point }) => point), ...skipped].map(({ key }) => key));
      return firsts.filter(({ key }) => !keys.has(key)).map((point) => pointName(point));
    });
    return { ...one, source, points: null };
  }
  return { ...one, source: planned(points.map((point) => ({ point, side: null }))), points: points.length };
}
