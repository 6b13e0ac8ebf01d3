import type { Filters } from '@inferboard/core/filters/filters';
import { type SQL, sql } from 'drizzle-orm';
import { and, boundConditions, resultConditions, statusCondition, trustCondition } from './filter-conditions.ts';

/** Conditions on single results, each by itself: `t` is `results`. Copies are left out, for they count nowhere. */
export function singleResultConditions(filters: Filters): SQL[] {
  const conditions = [
    sql`t.copy_of is null`,
    statusCondition(filters),
    trustCondition(filters),
    ...boundConditions(filters.bounds),
  ];
  const byResult = resultConditions(filters);
  if (byResult.length === 0) return conditions;
  const isMeant = sql`exists (
    select 1 from results r join submissions sub on sub.id = r.submission_id join accounts a on a.id = sub.account_id
    where r.id = t.id and ${and(byResult)})`;
  return [...conditions, isMeant];
}
