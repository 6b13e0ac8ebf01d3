import type { DataScope } from '@inferboard/db/schema/data-versions';
import type { Context, MiddlewareHandler, Next } from 'hono';
import type { AppContext, Deps } from '../deps.ts';
import { isWhole } from '../middleware/represent.ts';
import { Answer } from './answer.ts';
import type { AnswerCache } from './answer-cache.ts';
import { keyOf } from './key-of.ts';

/** The cacheable form of a response; null if it is an error, a stream, or marked as not cacheable. */
export async function readAnswer(response: Response): Promise<Answer | null> {
  const isOfOne = response.headers.get('cache-control')?.includes('no-store') === true;
  if (response.status !== 200 || isOfOne || !isWhole(response)) return null;
  const headers = Object.fromEntries(response.headers);
  return new Answer(new Uint8Array(await response.arrayBuffer()), headers);
}

/**
 * Caches the responses of a route that depend only on the URL and the data, not on the time, the client or its key. Each response
 * is built once for each version of the data. The cache look-up comes before the validation of the query.
 *
 * @param scopes the data that the response depends on; empty: it changes only with a release
 * @param options.isOfReader clients with a key may get a different response, which is not cached
 */
export function keep(
  { answers, database }: Pick<Deps, 'answers' | 'database'>,
  scopes: readonly DataScope[],
  { isOfReader = false } = {},
): MiddlewareHandler<AppContext> {
  /** Null if the response of `next` is not cacheable. */
  const makeOnce = async (from: AnswerCache, c: Context<AppContext>, next: Next): Promise<Answer | null> => {
    const stamp = await from.stamp(database, scopes);
    const { answer, isMine } = await from.once(from.keyIn(database, keyOf(c.req.url)), [stamp], async () => {
      await next();
      return c.get('isOfToday') ? null : readAnswer(c.res);
    });
    if (answer === null && !isMine) await next();
    return answer;
  };
  return async function keepAnswer(c, next) {
    if (!answers || c.req.method !== 'GET' || (isOfReader && c.get('principal'))) return next();
    const answer = await makeOnce(answers, c, next);
    if (answer === null) return;
    c.set('answer', answer);
    // Hono would merge the existing response into the new one.
    c.res = undefined;
    c.res = answer.toResponse();
  };
}

/** A route whose responses are cached, see `keep`. */
export const kept = <Route extends object>(
  deps: Pick<Deps, 'answers' | 'database'>,
  route: Route,
  scopes: readonly DataScope[],
  options: { isOfReader?: boolean } = {},
) => ({ ...route, middleware: keep(deps, scopes, options) });
