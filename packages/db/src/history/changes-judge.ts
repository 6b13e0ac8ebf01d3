import type { Filters } from '@inferboard/core/filters/filters';
import type { Metric } from '@inferboard/core/metrics/index';
import { type Change, judgeChange } from '@inferboard/core/series/change';
import { type Summed, sumUp, toFigure } from '@inferboard/core/series/change-figures';
import type { Queryable } from '../connection/transaction.ts';
import { findVersionsBefore } from './changes-before.ts';
import { findFirsts } from './changes-firsts.ts';
import { findOpenings, keyOf, type Opening, readingsOfPoint } from './changes-openings.ts';
import type { WalkedResult } from './changes-walk.ts';
import { listReadings, type PointReading } from './history-readings.ts';

/** Sort order of changes with the same result. */
export const changeTypes = ['new_best', 'version', 'day'] as const;
export type ChangeType = (typeof changeTypes)[number];

export interface FoundChange extends Change {
  type: ChangeType;
  /** The result that caused the change. */
  resultId: string;
  /** When that result was stored, RFC 3339. */
  at: string;
  fresh: Summed & { pointId: number };
  before: Summed & { pointId: number };
}

/** The scope of a comparison. */
export interface Judging {
  metric: Metric;
  /** Null: all. */
  types: readonly ChangeType[] | null;
  /** Statuses in addition to `accepted`. */
  include: Filters['include'];
}

/** Two sets of readings to compare, of one point or of two. */
interface Sides {
  type: ChangeType;
  fresh: readonly PointReading[];
  before: readonly PointReading[];
}

function judge({ opener }: Opening, { type, fresh, before }: Sides, metric: Metric): FoundChange[] {
  const [newer, older] = [sumUp(fresh), sumUp(before)];
  const [point, olderPoint] = [fresh[0]?.pointId, before[0]?.pointId];
  if (newer === null || older === null || point === undefined || olderPoint === undefined) return [];
  return [
    {
      ...judgeChange(metric, toFigure(newer), toFigure(older)),
      type,
      resultId: opener.id,
      at: opener.createdAt,
      fresh: { ...newer, pointId: point },
      before: { ...older, pointId: olderPoint },
    },
  ];
}

const isAsked = ({ types }: Judging, type: ChangeType) => types === null || types.includes(type);

// Comparisons use all results that count, regardless of the filters that selected the changes.
const filtersOf = ({ include }: Judging): Filters => ({ include, bounds: [] });

/** Readings of points, up to the limit that openings are derived from. */
export const readComparable = (db: Queryable, judging: Judging, pointIds: readonly number[]) =>
  listReadings(db, { pointIds, metric: judging.metric, filters: filtersOf(judging), perPoint: readingsOfPoint });

const none: ReadonlyMap<string, number> = new Map();

/**
 * The changes that openings caused, in their order. Compares the first results of a version with the previous version, and
 * those of a later day with all earlier days. If `pushed` maps opening results to points displaced from first place, compares
 * those, too.
 */
export async function judgeOpenings(
  db: Queryable,
  openings: readonly Opening[],
  judging: Judging,
  pushed: Promise<ReadonlyMap<string, number>> | null = null,
): Promise<FoundChange[]> {
  const { metric } = judging;
  const [versions, firsts] = await Promise.all([
    isAsked(judging, 'version') ? findVersionsBefore(db, openings, metric, filtersOf(judging)) : none,
    pushed ?? none,
  ]);
  const others = Map.groupBy(await readComparable(db, judging, [...versions.values(), ...firsts.values()]), keyOf);
  return openings.flatMap((opening) => {
    const { opener, definition, before, readings, all } = opening;
    const of = (pointId: number | undefined) =>
      pointId === undefined ? [] : (others.get(keyOf({ pointId, definition })) ?? []);
    const sides: Sides[] = [
      { type: 'new_best', fresh: [...before, ...readings], before: of(firsts.get(opener.id)) },
      { type: 'version', fresh: all, before: of(versions.get(opener.id)) },
      { type: 'day', fresh: readings, before: isAsked(judging, 'day') ? before : [] },
    ];
    return sides.flatMap((side) => (side.before.length === 0 ? [] : judge(opening, side, metric)));
  });
}

/** The changes that results caused, in their order. Only the first result of its point and formula on its day causes changes. */
export async function judgeResults(
  db: Queryable,
  walked: readonly WalkedResult[],
  judging: Judging,
): Promise<FoundChange[]> {
  const readings = await readComparable(
    db,
    judging,
    walked.map(({ pointId }) => pointId),
  );
  const openings = findOpenings(walked, readings);
  const pushed = isAsked(judging, 'new_best') ? findFirsts(db, openings, judging.metric) : null;
  return judgeOpenings(db, openings, judging, pushed);
}
