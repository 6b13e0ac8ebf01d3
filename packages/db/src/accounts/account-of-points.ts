import type { Filters } from '@inferboard/core/filters/filters';
import { sql } from 'drizzle-orm';
import { and, boundConditions, pointConditions, resultConditions } from '../boards/lists/filter-conditions.ts';
import { executeOften } from '../connection/statement.ts';
import type { Queryable } from '../connection/transaction.ts';

/** The account with the most systems among the accepted results that match the filters. Ties: the lowest id. */
export async function findAccountOf(db: Queryable, filters: Filters): Promise<{ id: string; name: string } | null> {
  const [found] = await executeOften<{ id: string; name: string }>(
    db,
    sql`
    select a.id, a.name
    from results r join results t on t.id = r.id
    join points p on p.id = r.point_id
    join systems s on s.id = p.system_id
    join scenarios sc on sc.id = p.scenario_id
    join submissions sub on sub.id = r.submission_id
    join accounts a on a.id = sub.account_id
    where r.status = 'accepted' and r.copy_of is null
      and ${and([...pointConditions(filters), ...resultConditions(filters), ...boundConditions(filters.bounds)])}
    group by a.id, a.name
    order by count(distinct s.id) desc, a.id
    limit 1`,
  );
  return found ?? null;
}
