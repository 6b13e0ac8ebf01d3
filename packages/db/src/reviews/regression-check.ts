import { sql } from 'drizzle-orm';
import { prepared, value } from '../connection/statement.ts';
import type { Queryable, Transaction } from '../connection/transaction.ts';
import { texts, wordArray } from '../copy/bulk.ts';

/**
 * Queues a regression check for a submission, in the transaction that accepts its results onto boards. Only for accounts that
 * subscribe to regressions.
 */
export async function queueRegressionCheck(tx: Transaction, submissionId: string): Promise<void> {
  await tx.execute(sql`
    insert into regression_checks (submission_id)
    select sub.id from submissions sub
    where sub.id = ${submissionId}
      and exists (select 1 from results r where r.submission_id = sub.id and r.status = 'accepted')
      and exists (select 1 from webhooks w
        where w.account_id = sub.account_id and w.removed_at is null and 'result.regressed' = any(w.events))
    on conflict (submission_id) do update set attempts = 0, next_at = now()`);
}

const queueNew = prepared<{ ids: string }>(
  sql`insert into regression_checks (submission_id) select unnest(${value('ids')}::text[])`,
);

/** The same for new submissions. All have results on boards and belong to subscribed accounts. */
export async function queueNewRegressionChecks(tx: Transaction, submissionIds: readonly string[]): Promise<void> {
  if (submissionIds.length > 0) await queueNew(tx, { ids: wordArray(submissionIds) });
}

/** A claimed regression check. */
export interface RegressionCheck {
  submissionId: string;
  accountId: string;
  /** Number of attempts, including this one. A later claim has a higher number, and this attempt then reports nothing. */
  attempts: number;
}

/** Seconds until a claimed check can be claimed again. */
const leaseS = 120;

/** Claims the check that has been due the longest. If the worker does not finish before the lease ends, another can claim it. */
export async function claimRegressionCheck(db: Queryable): Promise<RegressionCheck | null> {
  const [row] = (await db.execute(sql`
    update regression_checks c
    set attempts = c.attempts + 1, next_at = now() + make_interval(secs => ${leaseS})
    from submissions sub
    where c.submission_id = (
        select submission_id from regression_checks where next_at <= now()
        order by next_at, submission_id limit 1 for update skip locked)
      and sub.id = c.submission_id
    returning c.submission_id as "submissionId", sub.account_id as "accountId", c.attempts`)) as unknown as RegressionCheck[];
  return row ?? null;
}

/** Ends a check, in the transaction that queues its notification. Returns false if a later attempt owns it or it is over. */
export async function endRegressionCheck(tx: Transaction, check: RegressionCheck): Promise<boolean> {
  const ended = await tx.execute(sql`
    delete from regression_checks where submission_id = ${check.submissionId} and attempts = ${check.attempts} returning 1`);
  return ended.length > 0;
}

/** A change with the identifiers of GET /v1/changes. */
export interface NamedChange {
  result_id: string;
  type: string;
  metric: string;
}

/**
 * Records that an account is notified of changes, in the same transaction as the notification. Returns the changes not reported
 * before. Concurrent calls are serialized, so that each change is reported once.
 */
export async function noteReported<C extends NamedChange>(
  tx: Transaction,
  accountId: string,
  changes: readonly C[],
): Promise<C[]> {
  if (changes.length === 0) return [];
  const column = (name: keyof NamedChange) => texts(changes.map((change) => change[name]));
  const rows = (await tx.execute(sql`
    insert into told_regressions (account_id, result_id, type, metric)
    select ${accountId}, w.* from unnest(${column('result_id')}, ${column('type')}, ${column('metric')})
      as w (result_id, type, metric)
    order by 2, 3, 4
    on conflict do nothing
    returning result_id, type, metric`)) as unknown as NamedChange[];
  const keyOf = ({ result_id, type, metric }: NamedChange) => `${result_id} ${type} ${metric}`;
  const fresh = new Set(rows.map(keyOf));
  return changes.filter((change) => fresh.has(keyOf(change)));
}
