import { DomainError } from '@inferboard/core/errors';
import type { Scope } from '@inferboard/db/accounts/account';
import type { AuditedAct } from '@inferboard/db/accounts/audit';
import { type Transaction, transact } from '@inferboard/db/connection/transaction';
import type { Context } from 'hono';
import { auditOf } from '../audit.ts';
import type { AppContext, Deps } from '../deps.ts';
import { type IdPrefix, isId } from '../http/is-id.ts';
import { reachOf } from '../middleware/auth.ts';
import { requireMatch } from '../middleware/preconditions.ts';

interface Removal {
  /** Path of the list of such objects. */
  path: string;
  prefix: IdPrefix;
  scope: Scope;
  act: AuditedAct;
  /** The error if there is no such object, or if it belongs to another account. */
  notFound: string;
  /** Returns whether there was one. `accountId` is null for a key that may remove those of every account. */
  remove(tx: Transaction, id: string, accountId: string | null): Promise<boolean>;
}

/** Handler of DELETE for an object of an account: removes it and adds the audit entry in one transaction, then responds with 204. */
export function removeOwned(deps: Deps, { path, prefix, scope, act, notFound, remove }: Removal) {
  return async (c: Context<AppContext, string, { out: { param: { id: string } } }>) => {
    const reach = reachOf(c, scope);
    const { id } = c.req.valid('param');
    await requireMatch(c, `${path}/${id}`)();
    const audit = auditOf(c, act);
    const removeAudited = async (tx: Transaction) => {
      const isRemoved = await remove(tx, id, reach);
      if (isRemoved) await audit(tx, id);
      return isRemoved;
    };
    if (!isId(prefix, id) || !(await transact(deps.database.db, removeAudited)))
      throw new DomainError('not_found', notFound);
    return c.body(null, 204);
  };
}
