import type { Filters } from '@inferboard/core/filters/filters';
import type { Metric } from '@inferboard/core/metrics/index';
import { type Change, judgeChange, type Verdict } from '@inferboard/core/series/change';
import { type Summed, sumUp, toFigure } from '@inferboard/core/series/change-figures';
import { type WalkedResult, walkResults } from '@inferboard/db/queries/changes-walk';
import { listReadings, type PointReading } from '@inferboard/db/queries/history-readings';
import type { Queryable } from '@inferboard/db/transaction';
import { findFirsts } from './changes-firsts.ts';
import { findOpenings, keyOf, type Opening, readingsOfPoint } from './changes-openings.ts';
import { findVersionsBefore } from './changes-versions.ts';

/** In the order in which changes by the same result are told. */
export const changeTypes = ['new_best', 'version', 'day'] as const;
export type ChangeType = (typeof changeTypes)[number];

export interface FoundChange extends Change {
  type: ChangeType;
  /** The result with which the change came. */
  resultId: string;
  /** When that was stored, RFC 3339. */
  at: string;
  fresh: Summed & { pointId: number };
  before: Summed & { pointId: number };
}

export interface ChangesQuestion {
  metric: Metric;
  filters: Filters;
  /** Null: all. */
  types: readonly ChangeType[] | null;
  isMeant(change: { type: ChangeType; verdict: Verdict }): boolean;
  limit: number;
  /** Where the page before ended. */
  after: ChangePlace | null;
}

/** The place of a change in the list: newer results first, then by type. */
export interface ChangePlace {
  resultId: string;
  type: number;
}

/** Results looked at by one step, and steps by one request: what an answer costs at most. */
const [stepResults, stepsMax] = [400, 5];

/** Readings of one point that are compared with those of another, or its own. */
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

/** What the results of one step changed, in the order of the list. */
async function judgeStep(
  db: Queryable,
  walked: readonly WalkedResult[],
  { metric, types, filters: { include } }: ChangesQuestion,
): Promise<FoundChange[]> {
  // The filters choose the results that bring changes; what they are compared with is everything that counts.
  const filters: Filters = { include, bounds: [] };
  const isAsked = (type: ChangeType) => types === null || types.includes(type);
  const read = (pointIds: readonly number[]) =>
    listReadings(db, { pointIds, metric, filters, perPoint: readingsOfPoint });
  const openings = findOpenings(walked, await read(walked.map(({ pointId }) => pointId)));
  const none = new Map<string, number>();
  const [versions, firsts] = await Promise.all([
    isAsked('version') ? findVersionsBefore(db, openings, metric, filters) : none,
    isAsked('new_best') ? findFirsts(db, openings, metric) : none,
  ]);
  const others = Map.groupBy(await read([...versions.values(), ...firsts.values()]), keyOf);
  return openings.flatMap((opening) => {
    const { opener, definition, before, readings, all } = opening;
    const of = (pointId: number | undefined) =>
      pointId === undefined ? [] : (others.get(keyOf({ pointId, definition })) ?? []);
    const sides: Sides[] = [
      { type: 'new_best', fresh: [...before, ...readings], before: of(firsts.get(opener.id)) },
      { type: 'version', fresh: all, before: of(versions.get(opener.id)) },
      { type: 'day', fresh: readings, before: isAsked('day') ? before : [] },
    ];
    return sides.flatMap((side) => (side.before.length === 0 ? [] : judge(opening, side, metric)));
  });
}

const placeOf = ({ resultId, type }: FoundChange): ChangePlace => ({ resultId, type: changeTypes.indexOf(type) });
const isAfter = (place: ChangePlace, after: ChangePlace | null) =>
  after === null || place.resultId < after.resultId || (place.resultId === after.resultId && place.type > after.type);

/**
 * What moved, newest first: the first results of a version beside the version before it, those of a later day beside all
 * days before it, and points that took the first place of their model, GPU and scenario from another system. A change
 * stands where the result that brought it was stored and never moves, so that pages neither repeat nor skip one however
 * much arrives between them. One answer looks at so many results and no more: a page may be short, or empty, while `next`
 * says where to go on.
 */
export async function findChanges(
  db: Queryable,
  question: ChangesQuestion,
): Promise<{ changes: FoundChange[]; next: ChangePlace | null }> {
  const { metric, filters, limit } = question;
  const changes: FoundChange[] = [];
  let after = question.after;
  for (let step = 0; step < stepsMax; step++) {
    const from = after?.resultId ?? null;
    const walked = await walkResults(db, { metric, filters, from, limit: stepResults });
    for (const change of await judgeStep(db, walked, question)) {
      if (!isAfter(placeOf(change), after) || !question.isMeant(change)) continue;
      if (changes.length === limit) {
        const last = changes.at(-1);
        return { changes, next: last === undefined ? after : placeOf(last) };
      }
      changes.push(change);
    }
    const last = walked.at(-1);
    if (last === undefined || walked.length < stepResults) return { changes, next: null };
    after = { resultId: last.id, type: changeTypes.length };
  }
  return { changes, next: after };
}
