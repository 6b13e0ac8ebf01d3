import type { HttpBindings } from '@hono/node-server';
import { DomainError } from '@inferboard/core/errors';
import { isObjectStoreAway } from '@inferboard/db/artifacts/artifact-store';
import { databaseProblem } from '@inferboard/db/errors';
import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { AppContext, Deps } from './deps.ts';
import { problemType, toProblem } from './errors.ts';
import { jsonLine } from './json-line.ts';
import { methodOf, routeOf } from './middleware/route-of.ts';
import { textOfProblem } from './short/submission-text.ts';

/** True where the client went away while it was still sending: no failure of ours, and nobody hears the answer. */
const hasHungUp = (error: Error, c: Context): boolean => (c.env as Partial<HttpBindings>)?.incoming?.errored === error;

/** Whatever went wrong, as the refusal a client may see. */
function toDomainError(error: Error, c: Context<AppContext>): DomainError {
  if (error instanceof DomainError) return error;
  if (hasHungUp(error, c)) return new DomainError('request_invalid', 'The connection ended before the body did.');
  if (error instanceof HTTPException && error.status === 400) {
    return new DomainError('request_invalid', 'The body is not well-formed JSON.', [
      { code: 'json_malformed', message: error.message, hint: 'Send one JSON object.' },
    ]);
  }
  if (isObjectStoreAway(error)) {
    return new DomainError(
      'artifact_unavailable',
      'The bytes of an artifact cannot be stored or had now; nothing was changed. Try again in a few seconds.',
    );
  }
  const problem = databaseProblem(error);
  if (problem === 'timeout') {
    return new DomainError('timeout', 'The answer took too long to find: ask for less, or try again later.');
  }
  if (problem !== null) {
    return new DomainError('database_unavailable', 'The database does not answer now; try again in a few seconds.');
  }
  return new DomainError('internal', 'Something went wrong on our side. The request id leads us to the cause.');
}

/**
 * What an operator needs of a failure: where it happened, and what the database or the system said. A driver's own message
 * repeats the values of the query, which are strangers' words and stay out of logs.
 */
function causeOf(error: Error): Record<string, unknown> {
  let root: Error = error;
  while (root.cause instanceof Error) root = root.cause;
  const code = 'code' in root ? { code: String(root.code) } : {};
  const frames = (error.stack ?? '').split('\n').filter((line) => line.trimStart().startsWith('at '));
  return { error: root.message, ...code, at: frames.slice(0, 12).map((line) => line.trim()) };
}

type ErrorDeps = Pick<Deps, 'publicUrl' | 'log'>;

/** True where a person asked for a submission's answer in words. A program that prints them may want its refusals as documents. */
const asksForText = (c: Context): boolean =>
  c.req.query('format') === 'text' &&
  /^\/v1\/submissions(?:\/[^/]+)?$/.test(c.req.path) &&
  !c.req.header('accept')?.includes(problemType);

/** Answers with a problem document, under the id of the request. */
export function refuseWith(
  { publicUrl }: Pick<Deps, 'publicUrl'>,
  c: Context<AppContext>,
  error: DomainError,
  headers: Record<string, string> = {},
): Response {
  const problem = toProblem(error, c.get('requestId'), publicUrl);
  if (asksForText(c)) return c.text(textOfProblem(problem), problem.status as 400, headers);
  // The table of errors holds statuses of refusals only, all of which may have a body.
  return c.body(jsonLine(problem), problem.status as 400, { 'Content-Type': problemType, ...headers });
}

/** For an app's `onError`: whatever was thrown becomes a problem document, and what is our fault goes to the log. */
export function answerErrors(deps: ErrorDeps): (raw: Error, c: Context<AppContext>) => Response {
  return (raw, c) => {
    const error = toDomainError(raw, c);
    const { status, request_id } = toProblem(error, c.get('requestId'), deps.publicUrl);
    if (status >= 500) {
      // The pattern of the address, not the address: people paste keys into the strangest places.
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
