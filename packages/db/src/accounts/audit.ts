import { and, asc, eq, gt, gte, type SQL, sql } from 'drizzle-orm';
import type { Queryable } from '../connection/transaction.ts';
import type { AuditedAct } from '../schema/audit-log.ts';
import { accounts, auditLog } from '../schema/index.ts';

export { type AuditedAct, auditedActs } from '../schema/audit-log.ts';

/** An audited action and its actor. */
export interface AuditEntry {
  act: AuditedAct;
  /** Id of the object of the action. */
  target: string | null;
  /** Null for commands that an operator runs on the machine. */
  accountId: string | null;
  keyId: string | null;
  requestId: string | null;
  /** Further details; never a key or a secret. */
  detail: Record<string, unknown>;
}

/** Records an action in the transaction that performs it, so that both commit or neither does. */
export async function insertAuditEntry(tx: Queryable, entry: AuditEntry): Promise<void> {
  await tx.insert(auditLog).values(entry);
}

export interface AuditRow extends AuditEntry {
  id: number;
  /** RFC 3339, UTC. */
  at: string;
  accountName: string | null;
}

/** Audit entries after an id, oldest first; at most `limit`. */
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
  // Only this module writes these values.
  return rows.map((row) => ({ ...row, at: new Date(row.at).toISOString(), detail: row.detail as AuditRow['detail'] }));
}
