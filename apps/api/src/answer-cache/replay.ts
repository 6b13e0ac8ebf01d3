import type { Context, MiddlewareHandler } from 'hono';
import type { AppContext, Deps } from '../deps.ts';
import { isInside } from '../inside.ts';
import { addressOf, type Counted, rateHeaders } from '../middleware/limit-rate.ts';
import { strictTransport } from '../middleware/secure.ts';
import { costOf } from '../rate-limits.ts';
import { chooseCoding, isKnown } from './accepted.ts';
import type { Answer, Sent } from './answer.ts';
import { noteKept } from './keep-page.ts';
import { keyOf } from './key-of.ts';

export type ReplayDeps = Partial<Pick<Deps, 'answers' | 'rateLimits'>> & Pick<Deps, 'isEncrypted'>;

/** Headers of the single request, which the next one gets its own of. */
const ofRequest = ['x-request-id', 'ratelimit', 'ratelimit-policy', 'retry-after', 'strict-transport-security'];

/** The name of the form in which a client gets an answer: packed as it accepts, and without its bytes where it has them. */
function formOf(c: Context<AppContext>, answer: Answer): string {
  const coding = answer.isWorthPacking ? chooseCoding(c.req.header('accept-encoding')) : null;
  const isThere = isKnown(c.req.header('if-none-match'), answer.tagOf(coding));
  return `${isThere ? 304 : 200} ${coding ?? 'as it is'}`;
}

/** Takes a read of the address that asks; null where there is none left. */
function count({ rateLimits }: ReplayDeps, c: Context<AppContext>): Counted[] | null {
  const cost = costOf(c.req.path);
  if (!rateLimits?.reads || isInside(c) || cost === null) return [];
  const { quota, take } = rateLimits.reads;
  const taken = take(`address ${addressOf({ rateLimits }, c)}`, cost);
  return taken.isAllowed ? [{ quota, taken }] : null;
}

function send(deps: ReplayDeps, c: Context<AppContext>, { status, headers, body }: Sent, counted: Counted[]): Response {
  const own: Record<string, string> = { ...headers, 'x-request-id': c.get('requestId') };
  if (counted.length > 0) Object.assign(own, rateHeaders(counted));
  if (deps.isEncrypted(c)) own['strict-transport-security'] = strictTransport;
  return new Response(body, { status, headers: own });
}

/** Notes how an answer left, so that it leaves so again. */
async function remember(c: Context<AppContext>, answer: Answer): Promise<void> {
  const form = formOf(c, answer);
  const { status } = c.res;
  if (answer.sent.has(form) || !form.startsWith(String(status)) || (status !== 200 && status !== 304)) return;
  // Made without those, for an object that something was deleted from is slow to copy.
  const headers = Object.fromEntries([...c.res.headers].filter(([name]) => !ofRequest.includes(name)));
  const coding = headers['content-encoding'];
  const body = status === 304 ? null : await answer.packed(coding === 'br' || coding === 'gzip' ? coding : null);
  answer.sent.set(form, { status, headers, body });
}

/**
 * Answers a read without a key as it was answered before, where nothing that the answer depends on has changed: past all that
 * makes answers, but counted and measured as any other.
 */
export function replay(deps: ReplayDeps): MiddlewareHandler<AppContext> {
  const { answers = null } = deps;
  return async (c, next) => {
    if (answers === null || c.req.method !== 'GET') return next();
    const isAnonymous = c.req.header('authorization') === undefined;
    const url = keyOf(c.req.url);
    const found = isAnonymous ? await answers.find(url) : null;
    const sent = found?.sent.get(formOf(c, found));
    if (sent !== undefined) {
      // Nothing is taken by one that is refused: it is refused where all others are.
      const counted = count(deps, c);
      if (counted !== null) {
        noteKept(c);
        return send(deps, c, sent, counted);
      }
    }
    if (found !== null) c.set('fresh', found);
    await next();
    const answer = c.get('answer');
    if (answer === undefined) return;
    noteKept(c);
    if (isAnonymous) await remember(c, answer);
    answers.weighAgain(url, answer);
  };
}
