import { createHash } from 'node:crypto';
import { keepAnswer, type RequestName, releaseRequest } from '@inferboard/db/service/idempotency';
import type { Context, MiddlewareHandler } from 'hono';
import type { AppContext, Deps } from '../deps.ts';
import { limitBody } from '../middleware/limit-body.ts';
import { routeOf } from '../middleware/route-of.ts';
import { claimName, requestNameOf, whileClaimed } from '../submissions/actions/answer-once.ts';
import { keyringOf, openBody, sealBody } from './encrypted-body.ts';
import { keepsItsAnswer } from './routes.ts';

/** Routes with repeatable responses accept only shorter bodies; the route rejects longer ones. */
const bodyBytesMax = 1024 * 1024;

/** A fingerprint of the whole request: two requests with the same key must be equal. */
async function fingerprintOf(c: Context<AppContext>): Promise<string> {
  const { pathname, search } = new URL(c.req.url);
  const hash = createHash('sha256').update(JSON.stringify([pathname, search, c.req.header('if-match') ?? null]));
  const body = new Uint8Array(await c.req.arrayBuffer());
  c.set('bodyBytes', body.byteLength);
  return hash.update(body).digest('hex');
}

async function answerRepeatable(deps: Deps, c: Context<AppContext>, request: RequestName, next: () => Promise<void>) {
  const { db } = deps.database;
  const keyring = keyringOf(deps);
  const first = await claimName(deps, request, await fingerprintOf(c));
  if (first !== null) {
    const { status, location } = first;
    const body = status === 204 ? null : await openBody(keyring, request, first.body);
    const headers = { ...(location && { Location: location }), 'Idempotency-Replayed': 'true' };
    c.res = new Response(body, {
      status,
      headers: { ...(body !== null && { 'Content-Type': 'application/json' }), ...headers },
    });
    return;
  }
  await whileClaimed(deps, request, async () => {
    await next();
    const { status, headers } = c.res;
    if (status >= 400) return releaseRequest(db, request);
    const body = await sealBody(keyring, request, await c.res.clone().text());
    await keepAnswer(db, request, { status, location: headers.get('location'), body });
  });
}

/**
 * Returns the stored response for a repeated POST with the same idempotency key, on all routes that do not store their responses
 * themselves. The response is stored after the work is committed: if the process ends between the two, a retry does the work
 * again.
 */
export function repeatAnswers(deps: Deps): MiddlewareHandler<AppContext> {
  const receive = limitBody(bodyBytesMax);
  return async (c, next) => {
    const principal = c.get('principal');
    const header = c.req.header('idempotency-key');
    // Idempotency keys belong to accounts, so requests without one are passed on.
    if (c.req.method !== 'POST' || header === undefined || !principal) return next();
    const route = routeOf(c);
    if (keepsItsAnswer(route)) return next();
    const name = requestNameOf(header);
    if (name === null) return next();
    const length = Number(c.req.header('content-length') ?? 0);
    if (length > bodyBytesMax) return next();
    // A session of a key is refused what the key may do: it is not given the key's answers.
    const of = principal.session === undefined ? `POST ${route}` : `POST ${route} in a session`;
    return receive(c, async () => {
      await answerRepeatable(deps, c, { keyId: principal.keyId, route: of, name }, next);
    });
  };
}
