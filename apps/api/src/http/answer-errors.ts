import type { HttpBindings } from '@hono/node-server';
import { DomainError } from '@inferboard/core/errors';
import { isObjectStoreAway } from '@inferboard/db/artifacts/artifact-store';
import { databaseProblem, isDiskFull } from '@inferboard/db/connection/errors';
import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { AppContext, Deps } from '../deps.ts';
import { methodOf, routeOf } from '../middleware/route-of.ts';
import { textOfProblem } from '../short/submission-text.ts';
import { jsonLine } from '../submissions/json-line.ts';
import { problemType, toProblem } from './errors.ts';

/** True if the client disconnected while sending. This is not a server error, and no client receives the response. */
const hasHungUp = (error: Error, c: Context): boolean => (c.env as Partial<HttpBindings>)?.incoming?.errored === error;

/** Converts any error to a refusal that a client may see. */
function toDomainError(error: Error, c: Context<AppContext>): DomainError {
  if (error instanceof DomainError) return error;
  if (hasHungUp(error, c))
    return new DomainError('request_invalid', 'The connection closed before the body was complete.');
  if (error instanceof HTTPException && error.status === 400) {
    return new DomainError('request_invalid', 'The body is not valid JSON.', [
      { code: 'json_malformed', message: error.message, hint: 'Send one JSON object.' },
    ]);
  }
  if (isObjectStoreAway(error)) {
    return new DomainError(
      'artifact_unavailable',
      'The artifact store is unavailable. Nothing was changed. Try again in a few seconds.',
    );
  }
  const problem = databaseProblem(error);
  if (problem === 'timeout') {
    return new DomainError('timeout', 'The query took too long. Narrow it, or try again later.');
  }
  if (isDiskFull(error)) {
    return new DomainError(
      'database_unavailable',
      'The disk of the database is full. Requests fail until the operator of this service frees disk space.',
    );
  }
  if (problem !== null) {
    return new DomainError('database_unavailable', 'The database is unavailable. Try again in a few seconds.');
  }
  return new DomainError('internal', 'Internal error. Include the request id when you report it.');
}

/**
 * The details that an operator needs: the location, and the database's or system's error code. A driver's message repeats the
 * query's values, which are user input and must not be logged.
 */
function causeOf(error: Error): Record<string, unknown> {
  let root: Error = error;
  while (root.cause instanceof Error) root = root.cause;
  const code = 'code' in root ? { code: String(root.code) } : {};
  const frames = (error.stack ?? '').split('\n').filter((line) => line.trimStart().startsWith('at '));
  return { error: root.message, ...code, at: frames.slice(0, 12).map((line) => line.trim()) };
}

type ErrorDeps = Pick<Deps, 'publicUrl' | 'log'>;

/** True if a person requested the response as text. Programs may prefer errors as documents. */
const asksForText = (c: Context): boolean =>
  c.req.query('format') === 'text' &&
  /^\/v1\/(?:submissions(?:\/[^/]+)?|best|leaderboard|compare|results|systems|matrix|pareto|history)$/.test(
    c.req.path,
  ) &&
  !c.req.header('accept')?.includes(problemType);

/** Responds with a problem document that contains the request id. */
export function refuseWith(
  { publicUrl }: Pick<Deps, 'publicUrl'>,
  c: Context<AppContext>,
  error: DomainError,
  headers: Record<string, string> = {},
): Response {
  const problem = toProblem(error, c.get('requestId'), publicUrl);
  if (asksForText(c)) return c.text(textOfProblem(problem), problem.status as 400, headers);
  // The table of errors contains only statuses that allow a body.
  return c.body(jsonLine(problem), problem.status as 400, { 'Content-Type': problemType, ...headers });
}

/** For an app's `onError`: converts any thrown value to a problem document and logs server errors. */
export function answerErrors(deps: ErrorDeps): (raw: Error, c: Context<AppContext>) => Response {
  return (raw, c) => {
    const error = toDomainError(raw, c);
    const { status, request_id } = toProblem(error, c.get('requestId'), deps.publicUrl);
    if (status >= 500) {
      // Log the route pattern instead of the URL, which may contain a key.
      const asked = { request_id, trace_id: c.get('traceId'), method: methodOf(c), route: routeOf(c) };
      deps.log('error', 'request failed', { ...asked, ...causeOf(raw) });
    }
    return refuseWith(deps, c, error, {
      ...(status === 401 && { 'WWW-Authenticate': 'Bearer' }),
      ...(status === 503 && { 'Retry-After': '5' }),
      ...(error.retryAfterS !== null && { 'Retry-After': String(error.retryAfterS) }),
    });
  };
}
