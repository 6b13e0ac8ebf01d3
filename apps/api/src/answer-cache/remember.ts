import type { Context, MiddlewareHandler } from 'hono';
import type { AppContext, Deps } from '../deps.ts';
import { costOf } from '../http/rate-limits.ts';
import { idOf } from '../middleware/measure.ts';
import { routeOf } from '../middleware/route-of.ts';
import { type Answer, formOf } from './answer.ts';
import { noteKept } from './keep-page.ts';
import { keyOf } from './key-of.ts';

/** Headers specific to one request. */
const ofRequest = ['x-request-id', 'ratelimit', 'ratelimit-policy', 'retry-after', 'strict-transport-security'];

async function noteSent(c: Context<AppContext>, answer: Answer): Promise<void> {
  const form = formOf(answer, c.req.header('accept-encoding'), c.req.header('if-none-match'));
  const { status } = c.res;
  if (answer.sent.has(form) || !form.startsWith(String(status)) || (status !== 200 && status !== 304)) return;
  const headers = [...c.res.headers].filter(([name]) => !ofRequest.includes(name)).flat();
  const coding = c.res.headers.get('content-encoding');
  const body = status === 304 ? null : await answer.packed(coding === 'br' || coding === 'gzip' ? coding : null);
  const { path } = c.req;
  answer.place ??= { route: routeOf(c), path, id: idOf(c), cost: costOf(path) };
  answer.sent.set(form, { status, headers, body });
}

/** Records how a cached response was sent, so that `answerEarly` can send it again. */
export function remember({ answers = null }: Partial<Pick<Deps, 'answers'>>): MiddlewareHandler<AppContext> {
  return async (c, next) => {
    await next();
    const answer = c.get('answer');
    if (answers === null || answer === undefined) return;
    noteKept(c);
    if (c.req.header('authorization') === undefined) await noteSent(c, answer);
    answers.weighAgain(keyOf(c.req.url), answer);
  };
}
