import type { ErrorCode } from '@inferboard/core/errors';
import { costOf } from '../rate-limits.ts';
import { refusal } from '../schemas/common.ts';
import { type AnswerHeader, sends } from '../schemas/headers.ts';
import { isReference, type Parameter, type Place } from './types.ts';

// Documents what the middlewares do: rate limits, preconditions, ranges.

const problem = (description: string, code: ErrorCode, detail: string, ...headers: AnswerHeader[]) => ({
  description,
  headers: sends(...headers),
  content: {
    'application/problem+json': {
      schema: { $ref: '#/components/schemas/Problem' },
      examples: { [code]: { value: refusal(code, detail) } },
    },
  },
});

const tooMany = problem(
  'Too many requests. Retry after the time in Retry-After.',
  'rate_limited',
  'Too many requests: 12000 are possible in 60 seconds, and what this one costs is not left. Try again in 2 s.',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
);
const changed = problem(
  'The resource has changed since it was read.',
  'precondition_failed',
  'It has changed since you read it: If-Match names another state. Read it again, then decide.',
);
const noSuchBytes = problem(
  'The range is outside of the artifact. Content-Range has its size.',
  'range_not_satisfiable',
  'There are 2048 bytes: ask for some of them.',
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

function addParameter({ operation }: Place, parameter: Parameter): void {
  operation.parameters = [...(operation.parameters ?? []), parameter];
}

function tellLimits({ path, method, operation }: Place): void {
  const cost = costOf(path);
  if (cost === null) return;
  const isRead = method === 'get';
  Object.assign(operation, { 'x-rate-limit': { policy: isRead ? 'default' : 'writes', cost: isRead ? cost : 1 } });
  operation.responses['429'] ??= structuredClone(tooMany);
}

function tellPreconditions(place: Place): void {
  if (!conditional.has(place.operation.operationId)) return;
  addParameter(place, ifMatch);
  place.operation.responses['412'] ??= structuredClone(changed);
}

function tellRanges(place: Place): void {
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

/** Documents what the middlewares do for all routes. */
export function tellWire(place: Place): void {
  for (const tell of [tellLimits, tellPreconditions, tellRanges]) tell(place);
}
