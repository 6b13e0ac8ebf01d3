import { DomainError } from '@inferboard/core/errors';
import { findPrincipalByKeyHash, type Principal, type Scope } from '@inferboard/db/queries/account';
import type { Context, MiddlewareHandler } from 'hono';
import type { AppContext, Deps } from '../deps.ts';
import { sentKeyHash } from '../keys.ts';
import { limitStranger } from './limit-rate.ts';

const keyNames = new Set(['key', 'api_key', 'apikey', 'token', 'access_token', 'authorization', 'bearer']);

/** Addresses end up in logs and histories, so a key in one is refused before anything else looks at it. */
export const refuseKeyInQuery: MiddlewareHandler = async (c, next) => {
  for (const [name, values] of Object.entries(c.req.queries())) {
    const isKey = keyNames.has(name.toLowerCase()) || values.some((value) => /^ib_[0-9A-Za-z]{20,}$/.test(value));
    if (isKey) {
      throw new DomainError(
        'key_in_query',
        'Send the key in the header "Authorization: Bearer ...", never in the address.',
        [
          {
            code: 'key_in_query',
            parameter: name,
            message: 'Keys are not read from the query.',
            hint: 'Replace this key: the address may have been logged.',
          },
        ],
      );
    }
  }
  await next();
};

/**
 * Finds out whom the request acts for. No header: nobody. A header that is not a live key is refused, and counts against
 * the address, so that guessing has an end.
 */
export function authenticate(deps: Deps): MiddlewareHandler<AppContext> {
  return async (c, next) => {
    const header = c.req.header('authorization');
    if (header === undefined) {
      c.set('principal', null);
      return next();
    }
    const hash = sentKeyHash(header);
    const found = hash === null ? null : await findPrincipalByKeyHash(deps.database.db, hash);
    if (found === null) {
      limitStranger(deps, c);
      throw new DomainError(
        'key_unknown',
        'The key in the Authorization header is not one of ours, or it was revoked.',
      );
    }
    c.set('principal', found);
    return next();
  };
}

/** Writing takes a key: said before anything of the request is read. */
export const requireKeyToPost: MiddlewareHandler<AppContext> = async (c, next) => {
  if (['POST', 'PUT'].includes(c.req.method) && c.get('principal') === null) throw keyMissing();
  await next();
};

const keyMissing = () =>
  new DomainError('key_missing', 'This needs a key: send the header "Authorization: Bearer ib_...".');

/**
 * Whom the request acts for.
 *
 * @throws DomainError `key_missing`
 */
export function requirePrincipal(c: Context<AppContext>): Principal {
  const principal = c.get('principal');
  if (principal === null) throw keyMissing();
  return principal;
}

/**
 * Whom the request acts for, if their key carries a scope.
 *
 * @throws DomainError `key_missing`, `scope_missing`
 */
export function requireScope(c: Context<AppContext>, scope: Scope): Principal {
  const principal = requirePrincipal(c);
  if (!principal.scopes.includes(scope) && !principal.scopes.includes('admin')) {
    throw new DomainError(
      'scope_missing',
      `This needs a key with the scope "${scope}"; this one has ${principal.scopes.join(', ')}.`,
    );
  }
  return principal;
}

/**
 * Whose things the one who asks may reach, if their key carries a scope: an account's own, or as null anybody's.
 *
 * @throws DomainError `key_missing`, `scope_missing`
 */
export function reachOf(c: Context<AppContext>, scope: Scope): string | null {
  const { accountId, scopes } = requireScope(c, scope);
  return scopes.includes('admin') ? null : accountId;
}
