import type { ErrorCode } from '@inferboard/core/errors';
import type { Problem } from '../http/errors.ts';
import { costOf } from '../http/rate-limits.ts';
import { keepsItsAnswer } from '../idempotency/routes.ts';
import { malformedExample, refusal } from '../schemas/common.ts';
import { type AnswerHeader, sends } from '../schemas/headers.ts';
import { textOfProblem } from '../short/submission-text.ts';
import { isReference, type Operation, type Parameter, type Place } from './types.ts';

// Documents the middlewares' behavior: rate limits, preconditions, ranges.

const answered = (description: string, value: Problem, ...headers: AnswerHeader[]) => ({
  description,
  headers: sends(...headers),
  content: {
    'application/problem+json': {
      schema: { $ref: '#/components/schemas/Problem' },
      examples: { [value.code]: { value } },
    },
  },
});
const problem = (description: string, code: ErrorCode, detail: string, ...headers: AnswerHeader[]) =>
  answered(description, refusal(code, detail), ...headers);

const tooMany = problem(
  'Too many requests. Retry after the time in Retry-After.',
  'rate_limited',
  'Rate limit exceeded: 12,000 requests per 60 seconds. Try again in 2 s.',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
);
const changed = problem(
  'The resource has changed since it was read.',
  'precondition_failed',
  'The resource has changed since you read it (If-Match differs). Read it again before you change it.',
);
const noSuchBytes = problem(
  'The range is outside the artifact. Content-Range has its size.',
  'range_not_satisfiable',
  'The range is outside the 2048 bytes of the artifact.',
  'Content-Range',
  'Accept-Ranges',
);

const header = (name: string, description: string, example: string): Parameter => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string' },
  example,
});

/** Operations that accept If-Match. */
const conditional = new Set([
  'withdrawAccountVouch',
  'retractSubmission',
  'reviewSubmission',
  'answerConcern',
  'decideConcern',
  'revokeKey',
  'removeEndpoint',
  'removeSchedule',
  'removeWebhook',
]);

const ifMatch = header(
  'If-Match',
  'ETag of the resource. If the resource has changed, the response is 412 and nothing is changed. Without this header, the change is always made.',
  '"pBz7Xq0aC1dN5eGkR2sVtYwZ3hJ"',
);
const range = header(
  'Range',
  'One byte range. A request with several ranges returns the whole artifact.',
  'bytes=0-1023',
);

const idempotencyKey = header(
  'Idempotency-Key',
  'A unique key for this request, such as a UUID. A repetition within two days with the same key and body gets the first response, with `Idempotency-Replayed: true`.',
  '0f8e6a52-3b0b-4c9e-9d1a-6f0f3f5f2b11',
);

function addParameter({ operation }: Place, parameter: Parameter): void {
  operation.parameters = [...(operation.parameters ?? []), parameter];
}

function describeLimits({ path, method, operation }: Place): void {
  const cost = costOf(path);
  if (cost === null) return;
  const isRead = method === 'get';
  Object.assign(operation, { 'x-rate-limit': { policy: isRead ? 'default' : 'writes', cost: isRead ? cost : 1 } });
  operation.responses['429'] ??= structuredClone(tooMany);
}

function describePreconditions(place: Place): void {
  if (!conditional.has(place.operation.operationId)) return;
  addParameter(place, ifMatch);
  place.operation.responses['412'] ??= structuredClone(changed);
}

function describeRanges(place: Place): void {
  const { responses, operationId } = place.operation;
  const whole = responses['200'];
  if (operationId !== 'getArtifact' || whole === undefined || isReference(whole)) return;
  addParameter(place, range);
  whole.headers = { ...whole.headers, ...sends('Accept-Ranges', 'Content-Digest') };
  responses['206'] ??= {
    ...whole,
    description: 'The requested bytes.',
    headers: { ...whole.headers, ...sends('Content-Range') },
  };
  responses['416'] ??= noSuchBytes;
}

const runningExample = refusal(
  'request_running',
  'The first request with this Idempotency-Key is still running. Try again.',
);
const stillRunning = problem(
  'The first request with this Idempotency-Key is still running.',
  'request_running',
  'The first request with this Idempotency-Key is still running. Try again.',
);
const reused = refusal(
  'idempotency_key_reused',
  'This Idempotency-Key was used for another request. Use a new one for each request.',
);

/** Documents idempotent retries on all POST routes that do not document the header themselves. */
function describeRepetition(place: Place): void {
  const { path, method, operation } = place;
  if (method !== 'post' || !path.startsWith('/v1/') || keepsItsAnswer(path)) return;
  addParameter(place, idempotencyKey);
  for (const [status, answer] of Object.entries(operation.responses))
    if (status.startsWith('2') && !isReference(answer))
      answer.headers = { ...answer.headers, ...sends('Idempotency-Replayed') };
  operation.responses['409'] ??= structuredClone(stillRunning);
  for (const [status, value] of [
    ['409', runningExample],
    ['422', reused],
  ] as const) {
    const answer = operation.responses[status];
    const media = answer && !isReference(answer) ? answer.content?.['application/problem+json'] : undefined;
    if (media !== undefined) media.examples = { ...media.examples, [value.code]: { value } };
  }
}

const malformed = answered('The request is not valid HTTP/1.1.', malformedExample);

/** Probes have no parameters and need no key, so this is their only refusal. */
function describeMalformed({ operation }: Place): void {
  if (!Object.keys(operation.responses).some((status) => status.startsWith('4')))
    operation.responses['400'] = structuredClone(malformed);
}

/** Whether an operation has the parameter `format=text`. */
const hasTextForm = ({ parameters = [] }: Operation): boolean =>
  parameters.some(
    (parameter) =>
      !isReference(parameter) &&
      parameter.name === 'format' &&
      Array.isArray(parameter.schema?.enum) &&
      parameter.schema.enum.includes('text'),
  );

/** With `format=text`, errors are text too. */
function describeTextErrors({ operation }: Place): void {
  if (!hasTextForm(operation)) return;
  for (const answer of Object.values(operation.responses)) {
    const media = isReference(answer) ? undefined : answer.content?.['application/problem+json'];
    if (media === undefined || isReference(answer)) continue;
    const [first] = Object.values(media.examples ?? {});
    const example = textOfProblem((first?.value as Problem | undefined) ?? malformedExample);
    answer.content = { ...answer.content, 'text/plain': { schema: { type: 'string' }, example } };
  }
}

/** Documents the middlewares' behavior for all routes. */
export function describeWire(place: Place): void {
  for (const describePart of [
    describeLimits,
    describePreconditions,
    describeRanges,
    describeRepetition,
    describeMalformed,
    describeTextErrors,
  ])
    describePart(place);
}
