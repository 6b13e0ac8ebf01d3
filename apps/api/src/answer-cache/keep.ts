import type { DataScope } from '@inferboard/db/schema/data-versions';
import type { Context, MiddlewareHandler, Next } from 'hono';
import type { AppContext, Deps } from '../deps.ts';
import { isWhole } from '../middleware/represent.ts';
import { Answer } from './answer.ts';
import type { AnswerCache } from './answer-cache.ts';
import { keyOf } from './key-of.ts';

/** What can be kept of an answer; null where it is a refusal, or flows. */
export async function readAnswer(response: Response): Promise<Answer | null> {
  if (response.status !== 200 || !isWhole(response)) return null;
  const headers = Object.fromEntries(response.headers);
  return new Answer(new Uint8Array(await response.arrayBuffer()), headers);
}

/**
 * For a route whose answer depends on its address and the data alone: not on the clock, the client or its key. The answer is
 * made once for each state of the data, before which not even the query is looked at.
 *
 * @param scopes what the answer is made of; none: it changes with a release only
 * @param options.isOfReader readers with a key may get another answer, which is not kept
 */
export function keep(
  { answers, database }: Pick<Deps, 'answers' | 'database'>,
  scopes: readonly DataScope[],
  { isOfReader = false } = {},
): MiddlewareHandler<AppContext> {
  /** Null where what `next` answers is not kept. */
  const makeOnce = async (from: AnswerCache, c: Context<AppContext>, next: Next): Promise<Answer | null> => {
    const stamp = await from.stamp(database, scopes);
    const { answer, isMine } = await from.once(from.keyIn(database, keyOf(c.req.url)), [stamp], async () => {
      await next();
      return readAnswer(c.res);
    });
    if (answer === null && !isMine) await next();
    return answer;
  };
  return async function keepAnswer(c, next) {
    if (!answers || c.req.method !== 'GET' || (isOfReader && c.get('principal'))) return next();
    const answer = await makeOnce(answers, c, next);
    if (answer === null) return;
    c.set('answer', answer);
    // What stands there would be merged into what comes.
    c.res = undefined;
    c.res = answer.toResponse();
  };
}

/** A route whose answers are kept, as `keep` says. */
export const kept = <Route extends object>(
  deps: Pick<Deps, 'answers' | 'database'>,
  route: Route,
  scopes: readonly DataScope[],
  options: { isOfReader?: boolean } = {},
) => ({ ...route, middleware: keep(deps, scopes, options) });
