import { DomainError } from '@inferboard/core/errors';
import type { Context } from 'hono';
import type { AppContext } from '../deps.ts';
import { matchesIfMatch } from '../response-cache/conditional-requests.ts';

/** Throws if the resource has changed since the client read it. */
export type Precondition = () => Promise<void>;

/**
 * The precondition of a write, from `If-Match`: the tag of a GET of the resource in any coding, or `*`. Without the header there
 * is no precondition. The tag is compared with the current GET response for this client.
 *
 * @param paths URLs of the resource: the short and the full response have separate tags
 * @throws DomainError `precondition_failed`, from the precondition
 */
export function requireMatch(c: Context<AppContext>, ...paths: readonly [string, ...string[]]): Precondition {
  const wanted = c.req.header('if-match');
  if (wanted === undefined || wanted.trim() === '*') return async () => {};
  const authorization = c.req.header('authorization');
  return async () => {
    for (const path of paths) {
      const current = await c.get('ask')(path, authorization === undefined ? {} : { authorization });
      await current.body?.cancel();
      // A missing resource cannot have changed; the write itself reports that it is missing.
      if (!current.ok) return;
      const tag = current.headers.get('etag');
      if (tag !== null && matchesIfMatch(wanted, tag)) return;
    }
    throw new DomainError(
      'precondition_failed',
      'The resource has changed since you read it (If-Match differs). Read it again before you change it.',
    );
  };
}
