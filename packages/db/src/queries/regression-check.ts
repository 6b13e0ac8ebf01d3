import { sql } from 'drizzle-orm';
import { texts, wordArray } from '../bulk.ts';
import { prepared, value } from '../statement.ts';
import type { Queryable, Transaction } from '../transaction.ts';

/**
 * Notes, in the transaction that lets results of a submission onto the boards, that somebody must look what got worse by
 * them; of accounts that want to be told.
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

/** The same of new submissions, all of which let results onto the boards and are of accounts that want to be told. */
export async function queueNewRegressionChecks(tx: Transaction, submissionIds: readonly string[]): Promise<void> {
  if (submissionIds.length > 0) await queueNew(tx, { ids: wordArray(submissionIds) });
}

/** A submission to be looked at, for one worker. */
export interface RegressionCheck {
  submissionId: string;
  accountId: string;
  /** This one among them. Whoever claims it next has a higher number, and nothing of this attempt is told then. */
  attempts: number;
}

/** Seconds that a claimed check is left to its worker. */
const leaseS = 120;

/** Claims the check that is due for longest; what its worker does not finish before the lease ends is claimed again. */
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

/** Ends a check, in the transaction that tells what it found. False where it belongs to a later attempt, or is over. */
export async function endRegressionCheck(tx: Transaction, check: RegressionCheck): Promise<boolean> {
  const ended = await tx.execute(sql`
    delete from regression_checks where submission_id = ${check.submissionId} and attempts = ${check.attempts} returning 1`);
  return ended.length > 0;
}

/** A change as GET /v1/changes names it. */
export interface NamedChange {
  result_id: string;
  type: string;
  metric: string;
}

/**
 * Notes that an account is told of changes, in the transaction that tells it, and answers those that it was not told of
 * before. Simultaneous ones wait for each other: each change is told once.
 */
export async function noteTold<C extends NamedChange>(
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
