import type { Filters } from '@inferboard/core/filters/filters';
import type { Metric } from '@inferboard/core/metrics/index';
import type { Verdict } from '@inferboard/core/series/change';
import type { Queryable } from '@inferboard/db/connection/transaction';
import { type ChangeType, changeTypes, type FoundChange, judgeResults } from '@inferboard/db/history/changes-judge';
import { walkResults } from '@inferboard/db/history/changes-walk';

export { type ChangeType, changeTypes, type FoundChange };

export interface ChangesQuestion {
  metric: Metric;
  filters: Filters;
  /** Null: all. */
  types: readonly ChangeType[] | null;
  isMeant(change: { type: ChangeType; verdict: Verdict }): boolean;
  limit: number;
  /** Where the previous page ended. */
  after: ChangePlace | null;
}

/** The position of a change in the list: newer results first, then by type. */
export interface ChangePlace {
  resultId: string;
  type: number;
}

/** Results per step and steps per request: the maximum cost of a request. */
const [stepResults, stepsMax] = [400, 5];

const placeOf = ({ resultId, type }: FoundChange): ChangePlace => ({ resultId, type: changeTypes.indexOf(type) });
const isAfter = (place: ChangePlace, after: ChangePlace | null) =>
  after === null || place.resultId < after.resultId || (place.resultId === after.resultId && place.type > after.type);

/**
 * Changes, newest first. There are three types: the first results of a version compared with the previous version; results of a
 * later day compared with all earlier days; points that took the first place of their model, GPU and scenario from another
 * system. The position of a change is that of the result that caused it. It never moves, so pages neither repeat nor skip a
 * change while new results arrive. One request scans a limited number of results: a page may be short or empty while `next` is
 * set.
 */
export async function findChanges(
  db: Queryable,
  question: ChangesQuestion,
): Promise<{ changes: FoundChange[]; next: ChangePlace | null }> {
  const { metric, types, filters, limit } = question;
  const changes: FoundChange[] = [];
  let after = question.after;
  for (let step = 0; step < stepsMax; step++) {
    const from = after?.resultId ?? null;
    const walked = await walkResults(db, { metric, filters, from, limit: stepResults });
    for (const change of await judgeResults(db, walked, { metric, types, include: filters.include })) {
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
