import { z } from '@hono/zod-openapi';
import { DomainError, type ErrorCode, type Fault } from '@inferboard/core/errors';
import { type Problem, problemCodes, toProblem } from '../errors.ts';
import { type AnswerHeader, answerHeaders, sends } from './headers.ts';

export const ErrorItemSchema = z
  .object({
    code: z.string(),
    message: z.string(),
    hint: z.string().optional().openapi({ description: 'What to do about it.' }),
    pointer: z.string().optional().openapi({ description: 'Where in the body: a JSON pointer.' }),
    parameter: z.string().optional().openapi({ description: 'Which parameter, header or form field.' }),
    line: z.number().int().optional().openapi({ description: 'Which line of the artifact, from 1.' }),
  })
  .openapi('ErrorItem');

export const ProblemSchema = z
  .object({
    type: z.string().openapi({ description: 'Address of what is said about this code.' }),
    title: z.string().openapi({ description: 'The same for every occurrence.' }),
    status: z.number().int(),
    detail: z.string().openapi({ description: 'What is wrong here, and what to do.' }),
    code: z.enum(problemCodes),
    request_id: z.string().openapi({ description: 'As in the header X-Request-Id.' }),
    errors: z.array(ErrorItemSchema).optional().openapi({ description: 'Every fault that was found.' }),
    links: z
      .object({ read: z.string() })
      .optional()
      .openapi({ description: 'Of an artifact that cannot be read: the page that marks the lines of a pasted text.' }),
  })
  .openapi('Problem');

/** A refusal as the service answers it, for the document. */
export const refusal = (code: ErrorCode, detail: string, faults: Fault[] = []) =>
  toProblem(new DomainError(code, detail, faults), answerHeaders['X-Request-Id'].example, 'http://localhost:8787');

/** A refusal in the answers of a route, with an example of each code it may carry. */
export const problem = (description: string, examples: Problem[], ...headers: AnswerHeader[]) => ({
  description,
  headers: sends(...headers),
  content: {
    'application/problem+json': {
      schema: ProblemSchema,
      examples: Object.fromEntries(examples.map((value) => [value.code, { value }])),
    },
  },
});

const keyInQuery = refusal(
  'key_in_query',
  'Send the key in the header "Authorization: Bearer ...", never in the address.',
  [
    {
      code: 'key_in_query',
      parameter: 'api_key',
      message: 'Keys are not read from the query.',
      hint: 'Replace this key: the address may have been logged.',
    },
  ],
);

const invalid = refusal('request_invalid', 'The query is not valid.', [
  {
    code: 'parameter_unknown',
    parameter: 'max_itl',
    message: '"max_itl" is not a parameter here.',
    hint: 'Did you mean "max_itl_ms"?',
  },
]);

/** Answers that any operation may give beside its own. */
export const readProblems = {
  400: problem('A key in the query.', [keyInQuery]),
  401: problem(
    'No key where one is needed, or not a valid one.',
    [
      refusal('key_missing', 'This needs a key: send the header "Authorization: Bearer ib_...".'),
      refusal('key_unknown', 'The key in the Authorization header is not one of ours, or it was revoked.'),
    ],
    'WWW-Authenticate',
  ),
  422: problem('The request is not valid; `errors` names every fault.', [invalid]),
  503: problem(
    'The database does not answer; try again.',
    [refusal('database_unavailable', 'The database does not answer now; try again in a few seconds.')],
    'Retry-After',
  ),
  504: problem('The answer took too long to find.', [
    refusal('timeout', 'The answer took too long to find: ask for less, or try again later.'),
  ]),
} as const;

/** Answers that any operation may give whose key needs a scope. */
export const writeProblems = {
  ...readProblems,
  403: problem("The key's scopes do not allow this.", [
    refusal('scope_missing', 'This needs a key with the scope "submit"; this one has run.'),
  ]),
} as const;

/** Of an address that names something. */
export const missing = {
  404: problem('There is no such thing.', [refusal('not_found', 'There is nothing at this address.')]),
} as const;

export const tooLarge = {
  413: problem('The body is too large.', [refusal('body_too_large', 'The body has more than 16 KiB.')]),
} as const;
export const tooMany = {
  429: problem(
    'Too many requests; Retry-After says when to come back.',
    [refusal('rate_limited', 'Too many requests: 30 are possible in 3600 seconds.')],
    'Retry-After',
    'RateLimit',
    'RateLimit-Policy',
  ),
} as const;
/** Of what makes us ask a server that is not proven. */
export const targetLimits = {
  429: problem(
    'Too many requests, or as many to this server as may be until control of it is proven; Retry-After says when to come back.',
    [
      refusal('rate_limited', 'Too many requests: 30 are possible in 3600 seconds.'),
      refusal('target_budget_spent', 'https://llm.example.com was asked 50 requests today.'),
      refusal('target_busy', '4 requests are under way at https://llm.example.com.'),
    ],
    'Retry-After',
    'RateLimit',
    'RateLimit-Policy',
  ),
} as const;
export const notJson = {
  415: problem('The body is not JSON.', [
    refusal('media_type_unsupported', 'The body must be JSON: send the header "Content-Type: application/json".'),
  ]),
} as const;

/** What stands in the way, as it is now. */
export const conflict = (description: string, ...examples: Problem[]) =>
  ({ 409: problem(description, examples) }) as const;

/** A page: `next_cursor` is null on the last one. */
export function pageOf<T extends z.ZodType>(item: T) {
  return z.object({ data: z.array(item), next_cursor: z.string().nullable() });
}

export const limitDefault = 50;

export const pageShape = {
  limit: z
    .string()
    .regex(/^\d{1,3}$/, 'must be a whole number from 1 to 200')
    .transform(Number)
    .pipe(z.number().min(1, 'must be at least 1').max(200, 'must be at most 200'))
    .optional()
    .openapi({
      type: 'integer',
      minimum: 1,
      maximum: 200,
      default: limitDefault,
      description: 'Entries a page, 1 to 200; 50 by default.',
      example: 50,
    }),
  cursor: z.string().max(500).optional().openapi({ description: '`next_cursor` of the page before.' }),
} as const;

export const MetricValuesSchema = z
  .record(z.string(), z.number().nullable())
  .openapi('MetricValues', { description: 'Values by metric name; null is missing, zero is a measurement.' });
