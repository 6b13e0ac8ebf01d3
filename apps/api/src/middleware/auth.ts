import { DomainError } from '@inferboard/core/errors';
import {
  findPrincipalByKeyHash,
  findPrincipalBySessionHash,
  type Principal,
  type Scope,
} from '@inferboard/db/accounts/account';
import type { Context, MiddlewareHandler } from 'hono';
import { isSessionSent, sentKeyHash } from '../accounts/keys.ts';
import type { AppContext, Deps } from '../deps.ts';
import { limitAnonymous } from './limit-rate.ts';

const keyNames = new Set(['key', 'api_key', 'apikey', 'token', 'access_token', 'authorization', 'bearer']);

/** URLs end up in logs and histories, so a request with a key in its URL is rejected before any other check. */
export const refuseKeyInQuery: MiddlewareHandler = async (c, next) => {
  for (const [name, values] of Object.entries(c.req.queries())) {
    const isKey = keyNames.has(name.toLowerCase()) || values.some((value) => /^ib[slc]?_[0-9A-Za-z]{20,}$/.test(value));
    if (isKey) {
      throw new DomainError(
        'key_in_query',
        'Send the key in the header "Authorization: Bearer ...", never in the URL.',
        [
          {
            code: 'key_in_query',
            parameter: name,
            message: 'Keys are not read from the query.',
            hint: 'Replace this key: the URL may have been logged.',
          },
        ],
      );
    }
  }
  await next();
};

/**
 * Determines the account of a request; none without the header. A header without a valid key is rejected and counts against the
 * address, which limits guessing.
 */
export function authenticate(deps: Deps): MiddlewareHandler<AppContext> {
  return async (c, next) => {
    const header = c.req.header('authorization');
    if (header === undefined) {
      c.set('principal', null);
      return next();
    }
    const hash = sentKeyHash(header);
    const { db } = deps.database;
    const inSession = hash !== null && isSessionSent(header) ? await findPrincipalBySessionHash(db, hash) : null;
    const found = inSession ?? (hash === null ? null : await findPrincipalByKeyHash(db, hash));
    if (found === null) {
      limitAnonymous(deps, c);
      const message = /^Bearer /i.test(header)
        ? 'The key in the Authorization header is unknown, expired or revoked.'
        : 'The Authorization header has no key. Send "Authorization: Bearer ib_...".';
      throw new DomainError('key_unknown', message);
    }
    c.set('principal', found);
    return next();
  };
}

const requireKeyTo =
  (method: string): MiddlewareHandler<AppContext> =>
  async (c, next) => {
    if (c.req.method === method && c.get('principal') === null) throw keyMissing();
    await next();
  };

/** Requires a key for POST before the request is read. A method that the path does not have is refused as such. */
export const requireKeyToPost = requireKeyTo('POST');

/** The same for PUT. */
export const requireKeyToPut = requireKeyTo('PUT');

const keyMissing = () =>
  new DomainError('key_missing', 'A key is required. Send the header "Authorization: Bearer ib_...".');

/**
 * The principal of the request.
 *
 * @throws DomainError `key_missing`
 */
export function requirePrincipal(c: Context<AppContext>): Principal {
  const principal = c.get('principal');
  if (principal === null) throw keyMissing();
  return principal;
}

/**
 * The principal of the request, if its key has a scope.
 *
 * @throws DomainError `key_missing`, `scope_missing`
 */
export function requireScope(c: Context<AppContext>, scope: Scope): Principal {
  const principal = requirePrincipal(c);
  if (!principal.scopes.includes(scope) && !principal.scopes.includes('admin')) {
    throw new DomainError(
      'scope_missing',
      `A key with the scope "${scope}" is required. This key has ${principal.scopes.join(', ')}.`,
    );
  }
  return principal;
}

/**
 * The account whose objects the client may access, if its key has a scope: its own account, or null for all accounts.
 *
 * @throws DomainError `key_missing`, `scope_missing`
 */
export function reachOf(c: Context<AppContext>, scope: Scope): string | null {
  const { accountId, scopes } = requireScope(c, scope);
  return scopes.includes('admin') ? null : accountId;
}
