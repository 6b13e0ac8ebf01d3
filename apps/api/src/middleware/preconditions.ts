import { DomainError } from '@inferboard/core/errors';
import type { Context } from 'hono';
import { isNamed } from '../answer-cache/accepted.ts';
import type { AppContext } from '../deps.ts';

/** Throws unless what is about to be changed is as the client has seen it. */
export type Precondition = () => Promise<void>;

/**
 * The precondition of a change, from `If-Match`: the tag of a GET of the resource, in whatever coding it was read, or
 * `*`. Without the header a change has none. What is asked is what that GET answers this client now.
 *
 * @param paths addresses of the resource that is changed: a short answer and the whole have tags of their own
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
      // What is not there cannot have changed: the change itself says so.
      if (!current.ok) return;
      const tag = current.headers.get('etag');
      if (tag !== null && isNamed(wanted, tag)) return;
    }
    throw new DomainError(
      'precondition_failed',
      'It has changed since you read it: If-Match names another state. Read it again, then decide.',
    );
  };
}
