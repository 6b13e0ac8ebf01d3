import { eq, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../connection/client.ts';
import { prepared, value } from '../connection/statement.ts';
import { type Done, nothingMore, type Queryable, type Transaction, transact } from '../connection/transaction.ts';
import { wordArray } from '../copy/bulk.ts';
import type { Standing } from '../schema/accounts.ts';
import { accounts } from '../schema/index.ts';
import { type AccountRow, findAccount } from './account.ts';

export type { Standing } from '../schema/accounts.ts';

/** The time of the judgement, and the minimum age in days of an established account. */
export interface Judging {
  now: Date;
  establishedAfterDays: number;
}

/** Starts to update an account's results when its standing changes, in the same transaction. */
export type ApplyStanding = (tx: Transaction, accountId: string, after: Standing) => Promise<void>;

/** Accepted submissions with request records, and distinct UTC days of submission, that an established account needs. */
export const submissionsNeeded = 3;
export const daysNeeded = 2;

/**
 * True if account `a` meets the thresholds: it is old enough, sent verifiable submissions on several days, and no concern about
 * its submissions was upheld. Copies do not count.
 */
function hasShownEnough({ now, establishedAfterDays }: Judging): SQL {
  const oldest = new Date(now.getTime() - establishedAfterDays * 86_400_000).toISOString();
  return sql`(
    a.created_at <= ${oldest}::timestamptz
    and not exists (
      select 1 from concerns c join submissions sub on sub.id = c.submission_id
      where sub.account_id = a.id and c.state = 'upheld')
    and (
      select count(*) >= ${submissionsNeeded} and count(distinct (sub.created_at at time zone 'UTC')::date) >= ${daysNeeded}
      from submissions sub
      where sub.account_id = a.id and sub.status not in ('quarantined', 'retracted')
        and exists (
          select 1 from results r
          where r.submission_id = sub.id and r.status in ('accepted', 'provisional') and r.copy_of is null
            and r.own_trust in ('recomputed', 'managed'))))`;
}

/** An account whose standing is locked until the transaction ends. */
export interface HeldAccount {
  id: string;
  name: string;
  standing: Standing;
  /** Whether the account subscribes to regression events. */
  wantsRegressions: boolean;
  /** Whether the account subscribes to events about held results. */
  wantsHeld: boolean;
}

const holdAll = prepared<{ ids: string }, HeldAccount & { now: string; xid: string }>(sql`
  select a.id, a.name, a.standing, to_jsonb(now()) as now, pg_current_xact_id()::xid::text as xid, exists (
    select 1 from webhooks w
    where w.account_id = a.id and w.removed_at is null and 'result.regressed' = any(w.events)
    offset 0) as "wantsRegressions",
    exists (
    select 1 from webhooks w
    where w.account_id = a.id and w.removed_at is null and 'submission.held' = any(w.events) offset 0) as "wantsHeld"
  from accounts a where a.id = any(${value('ids')}::text[]) order by a.id for share of a`);

/** Locks accounts until the transaction ends. Also returns the transaction's id and start time. All accounts must exist. */
export async function holdAccounts(
  tx: Transaction,
  accountIds: readonly string[],
): Promise<{ accountOf(id: string): HeldAccount; now: string; xid: string }> {
  const rows = await holdAll(tx, { ids: wordArray([...new Set(accountIds)]) });
  const accounts = new Map(rows.map((row) => [row.id, row]));
  return {
    now: rows[0]?.now ?? '',
    xid: rows[0]?.xid ?? '',
    accountOf: (id) => {
      const account = accounts.get(id);
      if (account === undefined) throw new Error(`account ${id} does not exist`);
      return account;
    },
  };
}

/** Reads the standing of an account and blocks changes to it until the transaction ends. */
export async function holdStanding(tx: Transaction, accountId: string): Promise<Standing> {
  return (await holdAccounts(tx, [accountId])).accountOf(accountId).standing;
}

/** Reads the standing of an account for update: other transactions wait before they read it to change it. */
async function lockStanding(tx: Transaction, accountId: string): Promise<Standing | null> {
  const [account] = await tx
    .select({ standing: accounts.standing })
    .from(accounts)
    .where(eq(accounts.id, accountId))
    .for('no key update');
  return account?.standing ?? null;
}

/** Recomputes the standing of an account: `established` or `new`. A `vouched` account keeps its standing. */
export async function judgeStanding(
  tx: Transaction,
  accountId: string,
  judging: Judging,
): Promise<{ before: Standing; after: Standing }> {
  const before = await lockStanding(tx, accountId);
  if (before === null) throw new Error(`account ${accountId} does not exist`);
  if (before === 'vouched') return { before, after: before };
  const [found] = (await tx.execute(sql`
    select ${hasShownEnough(judging)} as "isEstablished" from accounts a where a.id = ${accountId}`)) as unknown as {
    isEstablished: boolean;
  }[];
  const after = found?.isEstablished === true ? 'established' : 'new';
  if (after !== before) await tx.update(accounts).set({ standing: after }).where(eq(accounts.id, accountId));
  return { before, after };
}

/** Accounts that are not vouched for and whose stored standing is out of date. */
async function listMisjudged(db: Queryable, judging: Judging): Promise<string[]> {
  const rows = (await db.execute(sql`
    select a.id from accounts a
    where a.standing <> 'vouched' and (a.standing = 'established') <> ${hasShownEnough(judging)}
    order by a.id`)) as unknown as { id: string }[];
  return rows.map(({ id }) => id);
}

/**
 * Judges every account that is not vouched for, each in a separate transaction that also starts to update its results. Returns
 * the accounts whose standing changed.
 */
export async function promoteAccounts(
  db: Database['db'],
  { onChanged, signal, ...judging }: Judging & { onChanged: ApplyStanding; signal?: AbortSignal },
): Promise<{ accountId: string; after: Standing }[]> {
  const changed: { accountId: string; after: Standing }[] = [];
  for (const accountId of await listMisjudged(db, judging)) {
    if (signal?.aborted) break;
    const after = await transact(db, async (tx) => {
      const judged = await judgeStanding(tx, accountId, judging);
      if (judged.after === judged.before) return null;
      await onChanged(tx, accountId, judged.after);
      return judged.after;
    });
    if (after !== null) changed.push({ accountId, after });
  }
  return changed;
}

/** Side effects of a change of standing. */
export interface StandingChange {
  onChanged: ApplyStanding;
  /** Called if the standing changed. */
  done?: Done;
}

/**
 * Vouches for an account, so that its results rank. Returns null if the account does not exist. A vouched account is unchanged.
 */
export async function vouchForAccount(
  db: Database['db'],
  accountId: string,
  { vouchedBy, onChanged, done = nothingMore }: StandingChange & { vouchedBy: string },
): Promise<AccountRow | null> {
  return transact(db, async (tx) => {
    const before = await lockStanding(tx, accountId);
    if (before !== null && before !== 'vouched') {
      await tx
        .update(accounts)
        .set({ standing: 'vouched', vouchedAt: sql`now()`, vouchedBy })
        .where(eq(accounts.id, accountId));
      await onChanged(tx, accountId, 'vouched');
      await done(tx);
    }
    return findAccount(tx, accountId);
  });
}

/**
 * Withdraws an admin's vouching for an account and recomputes its standing. Returns null if the account does not exist. An
 * account that is not vouched for is unchanged.
 */
export async function withdrawVouch(
  db: Database['db'],
  accountId: string,
  { onChanged, done = nothingMore, ...judging }: StandingChange & Judging,
): Promise<AccountRow | null> {
  return transact(db, async (tx) => {
    if ((await lockStanding(tx, accountId)) === 'vouched') {
      await tx
        .update(accounts)
        .set({ standing: 'new', vouchedAt: null, vouchedBy: null })
        .where(eq(accounts.id, accountId));
      const { after } = await judgeStanding(tx, accountId, judging);
      await onChanged(tx, accountId, after);
      await done(tx);
    }
    return findAccount(tx, accountId);
  });
}
