import { and, asc, eq, gt, gte, type SQL, sql } from 'drizzle-orm';
import type { AuditedAct } from '../schema/audit-log.ts';
import { accounts, auditLog } from '../schema/index.ts';
import type { Queryable } from '../transaction.ts';

export { type AuditedAct, auditedActs } from '../schema/audit-log.ts';

/** Who did something, and what. */
export interface AuditEntry {
  act: AuditedAct;
  /** Id of what it was done to. */
  target: string | null;
  /** Null for whoever could start a command. */
  accountId: string | null;
  keyId: string | null;
  requestId: string | null;
  /** What else is needed to understand it; never a key or a secret. */
  detail: Record<string, unknown>;
}

/** Notes an act, in the transaction that does it: neither is there without the other. */
export async function insertAuditEntry(tx: Queryable, entry: AuditEntry): Promise<void> {
  await tx.insert(auditLog).values(entry);
}

export interface AuditRow extends AuditEntry {
  id: number;
  /** RFC 3339, UTC. */
  at: string;
  accountName: string | null;
}

/** What was noted, oldest first, after an id; at most `limit`. */
export async function listAuditEntries(
  db: Queryable,
  {
    after,
    limit,
    since,
    act,
    target,
  }: { after: number; limit: number; since?: string; act?: AuditedAct; target?: string },
): Promise<AuditRow[]> {
  const wanted: SQL[] = [gt(auditLog.id, after)];
  if (since !== undefined) wanted.push(gte(auditLog.at, sql`${since}::timestamptz`));
  if (act !== undefined) wanted.push(eq(auditLog.act, act));
  if (target !== undefined) wanted.push(eq(auditLog.target, target));
  const rows = await db
    .select({
      id: auditLog.id,
      at: auditLog.at,
      act: auditLog.act,
      target: auditLog.target,
      accountId: auditLog.accountId,
      accountName: accounts.name,
      keyId: auditLog.keyId,
      requestId: auditLog.requestId,
      detail: auditLog.detail,
    })
    .from(auditLog)
    .leftJoin(accounts, eq(accounts.id, auditLog.accountId))
    .where(and(...wanted))
    .orderBy(asc(auditLog.id))
    .limit(limit);
  // Written by us alone.
  return rows.map((row) => ({ ...row, at: new Date(row.at).toISOString(), detail: row.detail as AuditRow['detail'] }));
}
