import { eq, type SQL, sql } from 'drizzle-orm';
import { wordArray } from '../bulk.ts';
import type { Database } from '../client.ts';
import type { Standing } from '../schema/accounts.ts';
import { accounts } from '../schema/index.ts';
import { prepared, value } from '../statement.ts';
import { type Done, nothingMore, type Queryable, type Transaction, transact } from '../transaction.ts';
import { type AccountRow, findAccount } from './account.ts';

export type { Standing } from '../schema/accounts.ts';

/** When an account is judged, and from which age it may be established. */
export interface Judging {
  now: Date;
  establishedAfterDays: number;
}

/** What becomes of an account's results when its standing changes, in the transaction that changes it. */
export type StandingChanged = (tx: Transaction, accountId: string, after: Standing) => Promise<void>;

/** Accepted submissions with records of requests, and UTC days on which they were sent, that establish an account. */
export const submissionsNeeded = 3;
export const daysNeeded = 2;

/**
 * True for an account `a` that has shown enough: it is old enough, sent what others can check on several days, and no
 * concern about a submission of its was upheld. What it copied shows nothing.
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

/** An account whose standing nobody changes until the transaction ends. */
export interface HeldAccount {
  id: string;
  name: string;
  standing: Standing;
  /** Whether it wants to be told of what got worse. */
  isTold: boolean;
}

const holdAll = prepared<{ ids: string }, HeldAccount & { now: string; xid: string }>(sql`
  select a.id, a.name, a.standing, to_jsonb(now()) as now, pg_current_xact_id()::xid::text as xid, exists (
    select 1 from webhooks w
    where w.account_id = a.id and w.removed_at is null and 'result.regressed' = any(w.events) offset 0) as "isTold"
  from accounts a where a.id = any(${value('ids')}::text[]) order by a.id for share of a`);

/** Accounts as they stay until the transaction ends, and its id and beginning. All of them must be there. */
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
      if (account === undefined) throw new Error(`account ${id} vanished`);
      return account;
    },
  };
}

/** The standing of an account; until the transaction ends nobody changes it. */
export async function holdStanding(tx: Transaction, accountId: string): Promise<Standing> {
  return (await holdAccounts(tx, [accountId])).accountOf(accountId).standing;
}

/** The standing of an account; until the transaction ends nobody else reads it to change it. */
async function lockStanding(tx: Transaction, accountId: string): Promise<Standing | null> {
  const [account] = await tx
    .select({ standing: accounts.standing })
    .from(accounts)
    .where(eq(accounts.id, accountId))
    .for('no key update');
  return account?.standing ?? null;
}

/**
 * Brings the standing of an account up to date with what it has shown: `established` or `new`. An account that somebody
 * vouches for stays `vouched`.
 */
export async function judgeStanding(
  tx: Transaction,
  accountId: string,
  judging: Judging,
): Promise<{ before: Standing; after: Standing }> {
  const before = await lockStanding(tx, accountId);
  if (before === null) throw new Error(`account ${accountId} vanished`);
  if (before === 'vouched') return { before, after: before };
  const [found] = (await tx.execute(sql`
    select ${hasShownEnough(judging)} as "isEstablished" from accounts a where a.id = ${accountId}`)) as unknown as {
    isEstablished: boolean;
  }[];
  const after = found?.isEstablished === true ? 'established' : 'new';
  if (after !== before) await tx.update(accounts).set({ standing: after }).where(eq(accounts.id, accountId));
  return { before, after };
}

/** Accounts that nobody vouches for and whose standing is not what they have shown. */
async function listMisjudged(db: Queryable, judging: Judging): Promise<string[]> {
  const rows = (await db.execute(sql`
    select a.id from accounts a
    where a.standing <> 'vouched' and (a.standing = 'established') <> ${hasShownEnough(judging)}
    order by a.id`)) as unknown as { id: string }[];
  return rows.map(({ id }) => id);
}

/**
 * Judges every account that nobody vouches for, each in a transaction of its own, together with what becomes of its
 * results. Answers the accounts whose standing changed.
 */
export async function promoteAccounts(
  db: Database['db'],
  { onChanged, signal, ...judging }: Judging & { onChanged: StandingChanged; signal?: AbortSignal },
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

/** What a change of standing does beside it. */
export interface StandingChange {
  onChanged: StandingChanged;
  /** Called where something changed. */
  done?: Done;
}

/** Vouches for an account: its results rank from now on. Null if there is none; one that is vouched for stays as it is. */
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
 * Takes back that somebody vouches for an account: it is what it has shown. Null if there is none; one that nobody vouches
 * for stays as it is.
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
