import type { Filters } from '@inferboard/core/filters/filters';
import { type SQL, sql } from 'drizzle-orm';
import {
  and,
  boundConditions,
  resultConditions,
  statusCondition,
  trustCondition,
} from '../boards/lists/filter-conditions.ts';

/** True for a result `t` of a representative claim. */
const ofStandingClaim = sql`exists (
  select 1 from point_statistics c
  where c.point_id = t.point_id and c.status = t.status and c.account_id = t.account_id and c.own_trust = t.own_trust
    and c.stands and c.variant = 0)`;

/**
 * Conditions on single results; `t` is `results`. Only results of representative claims match, so that a series never mixes several
 * accounts.
 */
export function singleResultConditions(filters: Filters): SQL[] {
  const conditions = [
    sql`t.copy_of is null`,
    ofStandingClaim,
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
