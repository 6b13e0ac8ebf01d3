import { sql } from 'drizzle-orm';
import type { Database } from '../connection/client.ts';
import { removals } from './rules.ts';

/** An arbitrary number that all releases share. */
const advisoryLock = 4_707_230_617;

/** Number of removed rows by table, for tables with removed rows. */
export type Removed = Record<string, number>;

/** Removes one batch of a table; null if another process does so. */
async function removeBatch(db: Database['db'], rule: (typeof removals)[number]): Promise<number | null> {
  const { table, after, where, oldest, batch } = rule;
  return db.transaction(async (tx) => {
    const [lock] = (await tx.execute(sql`select pg_try_advisory_xact_lock(${advisoryLock}) as locked`)) as unknown as {
      locked: boolean;
    }[];
    if (lock?.locked !== true) return null;
    const old = sql.raw(where.replaceAll(':age', `interval '${after}'`));
    const name = sql.identifier(table);
    const removed = (await tx.execute(sql`
      with old as (
        select t.ctid from ${name} t where ${old} order by ${sql.raw(oldest)} limit ${batch} for update of t skip locked),
      removed as (delete from ${name} t using old where t.ctid = old.ctid returning 1)
      select count(*)::int as n from removed`)) as unknown as { n: number }[];
    return removed[0]?.n ?? 0;
  });
}

/**
 * Removes rows past their retention period, a few per transaction to keep locks short. If several processes call it, one does
 * the work.
 */
export async function removeOld({ db }: Pick<Database, 'db'>, signal: AbortSignal): Promise<Removed> {
  const total: Removed = {};
  for (const rule of removals) {
    for (let removed: number | null = rule.batch; removed === rule.batch && !signal.aborted; ) {
      removed = await removeBatch(db, rule);
      if (removed === null) return total;
      if (removed > 0) total[rule.table] = (total[rule.table] ?? 0) + removed;
    }
  }
  return total;
}
