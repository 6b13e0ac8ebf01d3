import { type AuditedAct, insertAuditEntry } from '@inferboard/db/accounts/audit';
import type { Transaction } from '@inferboard/db/connection/transaction';
import type { Context } from 'hono';
import type { AppContext } from './deps.ts';

/** Records an action in the transaction that performs it. */
export type Audit = (tx: Transaction, target: string | null, detail?: Record<string, unknown>) => Promise<void>;

/**
 * For actions with an admin key: decisions, grants and removals, on its own account or another. Actions of other keys on their
 * own data are not recorded.
 */
export function auditOf(c: Context<AppContext>, act: AuditedAct): Audit {
  const principal = c.get('principal');
  if (principal?.scopes.includes('admin') !== true) return async () => {};
  const { accountId, keyId } = principal;
  const requestId = c.get('requestId');
  return (tx, target, detail = {}) => insertAuditEntry(tx, { act, target, accountId, keyId, requestId, detail });
}
