import { type AuditedAct, insertAuditEntry } from '@inferboard/db/queries/audit';
import type { Transaction } from '@inferboard/db/transaction';
import type { Context } from 'hono';
import type { AppContext } from './deps.ts';

/** What notes an act in the transaction that does it. */
export type Audit = (tx: Transaction, target: string | null, detail?: Record<string, unknown>) => Promise<void>;

/**
 * For what is done with a key that may administer: decided, granted or removed, be it of its own account or another's.
 * What other keys do with what is theirs is not noted.
 */
export function auditOf(c: Context<AppContext>, act: AuditedAct): Audit {
  const principal = c.get('principal');
  if (principal?.scopes.includes('admin') !== true) return async () => {};
  const { accountId, keyId } = principal;
  const requestId = c.get('requestId');
  return (tx, target, detail = {}) => insertAuditEntry(tx, { act, target, accountId, keyId, requestId, detail });
}
