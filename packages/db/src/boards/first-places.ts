import type { MetricName } from '@inferboard/core/metrics/index';
import { preferredRanks } from '@inferboard/core/ranking/default-rank';
import { sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../connection/transaction.ts';
import { texts } from '../copy/bulk.ts';

/** An arbitrary number that all releases share. */
const advisoryLock = 4_707_230_618;

/** The system that was or is first on a board. */
export interface FirstPlace {
  systemId: string;
  label: string;
  /** The account of the representative claim of the point. */
  accountId: string;
  /** The value, negated where lower is better. */
  worth: number;
}

/** A board on which another system is first than before. */
export interface FirstPlaceChange {
  workload: string;
  metric: MetricName;
  /** The formula group; empty if the metric has one formula. */
  definition: string;
  first: FirstPlace;
  before: FirstPlace;
}

/**
 * Stores the first place of each board by a default metric and returns the boards where another system was first the last
 * time. A board that was empty is not among them, nor is one that is empty now. Null if another transaction does the same. The
 * cost is proportional to the number of boards.
 */
export async function noteFirstPlaces(tx: Transaction): Promise<FirstPlaceChange[] | null> {
  const [lock] = (await tx.execute(sql`select pg_try_advisory_xact_lock(${advisoryLock}) as locked`)) as unknown as {
    locked: boolean;
  }[];
  if (lock?.locked !== true) return null;
  return (await tx.execute(sql`
    with first as materialized (
      select b.kind, b.workload, b.metric, b.definition_group, top.system_id, top.point_id, claim.account_id, top.worth
      from boards b
      cross join lateral (
        select r.system_id, r.point_id, r.worth from board_rows r
        where r.board_id = b.id and r.is_best and r.unnamed = 0
        order by r.worth desc, r.disputed, r.point_id limit 1) top
      cross join lateral (
        select c.account_id from point_statistics c
        where c.point_id = top.point_id and c.status = 'accepted' and c.stands limit 1) claim
      where b.metric = any(${texts(preferredRanks)})),
    changed as materialized (
      select first.*, was.system_id as was_system, was.account_id as was_account, was.worth as was_worth
      from first
      left join board_firsts was using (kind, workload, metric, definition_group)
      where (first.system_id, first.point_id, first.account_id, first.worth)
        is distinct from (was.system_id, was.point_id, was.account_id, was.worth)),
    stored as (
      insert into board_firsts (kind, workload, metric, definition_group, system_id, point_id, account_id, worth)
      select kind, workload, metric, definition_group, system_id, point_id, account_id, worth from changed
      on conflict (metric, kind, workload, definition_group) do update
        set system_id = excluded.system_id, point_id = excluded.point_id, account_id = excluded.account_id,
          worth = excluded.worth)
    select c.workload, c.metric, c.definition_group as definition,
      jsonb_build_object('systemId', s.id, 'label', s.label, 'accountId', c.account_id, 'worth', c.worth) as first,
      jsonb_build_object('systemId', w.id, 'label', w.label, 'accountId', c.was_account, 'worth', c.was_worth) as before
    from changed c
    join systems s on s.id = c.system_id
    join systems w on w.id = c.was_system
    where c.was_system <> c.system_id
    order by c.workload, array_position(${texts(preferredRanks)}, c.metric), c.definition_group`)) as unknown as FirstPlaceChange[];
}

/** Forgets the first places, so that a later subscriber is not notified of changes before the subscription. */
export async function forgetFirstPlaces(db: Queryable): Promise<void> {
  await db.execute(sql`delete from board_firsts`);
}
