import { z } from '@hono/zod-openapi';
import { DomainError, type ErrorCode, type Fault } from '@inferboard/core/errors';
import { type Problem, problemCodes, toProblem } from '../http/errors.ts';
import { type AnswerHeader, answerHeaders, sends } from './headers.ts';

export const ErrorItemSchema = z
  .object({
    code: z.string(),
    message: z.string(),
    hint: z.string().optional().openapi({ description: 'How to fix it.' }),
    pointer: z.string().optional().openapi({ description: 'Where in the body: a JSON pointer.' }),
    parameter: z.string().optional().openapi({ description: 'Which parameter, header or form field.' }),
    line: z.number().int().optional().openapi({ description: 'Which line of the artifact, from 1.' }),
  })
  .openapi('ErrorItem');

export const ProblemSchema = z
  .object({
    type: z.string().openapi({ description: 'URL of the documentation of this code.' }),
    title: z.string().openapi({ description: 'The same for every occurrence.' }),
    status: z.number().int(),
    detail: z.string().openapi({ description: 'What is wrong, and how to fix it.' }),
    code: z.enum(problemCodes),
    request_id: z.string().openapi({ description: 'Same value as the X-Request-Id header.' }),
    errors: z.array(ErrorItemSchema).optional().openapi({ description: 'All errors that were found.' }),
    links: z
      .object({
        read: z.string().openapi({ description: 'The page that marks the lines of the text.' }),
        native: z.string().openapi({ description: 'The native format, with an example.' }),
      })
      .optional()
      .openapi({ description: 'For an artifact that cannot be parsed.' }),
  })
  .openapi('Problem');

/** A JSON response of a route. */
export const json = <T extends z.ZodType>(description: string, schema: T) => ({
  description,
  content: { 'application/json': { schema } },
});

/** A refusal in the service's format, for the document. */
export const refusal = (code: ErrorCode, detail: string, faults: Fault[] = []) =>
  toProblem(new DomainError(code, detail, faults), answerHeaders['X-Request-Id'].example, 'http://localhost:8787');

/** The refusal of bytes that are not a request. */
export const malformedExample = toProblem(
  { code: 'request_malformed', message: 'The request is not valid HTTP/1.1.', faults: [] },
  answerHeaders['X-Request-Id'].example,
  'http://localhost:8787',
);

/** A refusal among the responses of a route, with an example of each possible code. */
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
  'Send the key in the header "Authorization: Bearer ...", never in the URL.',
  [
    {
      code: 'key_in_query',
      parameter: 'api_key',
      message: 'Keys are not read from the query.',
      hint: 'Replace this key: the URL may have been logged.',
    },
  ],
);

const invalid = refusal('request_invalid', 'The query is not valid.', [
  {
    code: 'parameter_unknown',
    parameter: 'max_itl',
    message: 'Unknown parameter "max_itl".',
    hint: 'Did you mean "max_itl_ms"?',
  },
]);

/** Responses that any operation may return in addition to its own. */
export const readProblems = {
  400: problem('A key in the query.', [keyInQuery]),
  401: problem(
    'The key is missing or not valid.',
    [
      refusal('key_missing', 'A key is required. Send the header "Authorization: Bearer ib_...".'),
      refusal('key_unknown', 'The key in the Authorization header is unknown or was revoked.'),
    ],
    'WWW-Authenticate',
  ),
  422: problem('The request is not valid. `errors` lists all errors.', [invalid]),
  503: problem(
    'The database is unavailable. Try again.',
    [refusal('database_unavailable', 'The database is unavailable. Try again in a few seconds.')],
    'Retry-After',
  ),
  504: problem('The query took too long.', [
    refusal('timeout', 'The query took too long. Narrow it, or try again later.'),
  ]),
} as const;

/** Responses of any operation whose key needs a scope. */
export const writeProblems = {
  ...readProblems,
  403: problem("The key's scopes do not allow this.", [
    refusal('scope_missing', 'A key with the scope "submit" is required. This key has run.'),
  ]),
} as const;

/** For URLs that name an object. */
export const missing = {
  404: problem('Not found.', [refusal('not_found', 'There is no resource at this URL.')]),
} as const;

export const tooLarge = {
  413: problem('The body is too large.', [refusal('body_too_large', 'The body has more than 16 KiB.')]),
} as const;
export const tooMany = {
  429: problem(
    'Too many requests. Retry after the time in Retry-After.',
    [refusal('rate_limited', 'Rate limit exceeded: 30 requests per 3,600 seconds.')],
    'Retry-After',
    'RateLimit',
    'RateLimit-Policy',
  ),
} as const;
/** For operations that send requests to unproven servers. */
export const targetLimits = {
  429: problem(
    'Too many requests, or too many to a server without proof of control. Retry after the time in Retry-After.',
    [
      refusal('rate_limited', 'Rate limit exceeded: 30 requests per 3,600 seconds.'),
      refusal('target_budget_spent', 'https://llm.example.com has received 50 requests today.'),
      refusal('target_busy', '4 requests are in progress at https://llm.example.com.'),
    ],
    'Retry-After',
    'RateLimit',
    'RateLimit-Policy',
  ),
} as const;
export const notJson = {
  415: problem('The content type is not JSON.', [
    refusal('media_type_unsupported', 'The body must be JSON: send the header "Content-Type: application/json".'),
  ]),
} as const;

/** A conflict with the current state. */
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
      description: 'Entries per page, 1 to 200. Default: 50.',
      example: 50,
    }),
  cursor: z.string().max(500).optional().openapi({ description: '`next_cursor` of the previous page.' }),
} as const;

export const MetricValuesSchema = z
  .record(z.string(), z.number().nullable())
  .openapi('MetricValues', { description: 'Values by metric name; null is missing, zero is a measurement.' });
