import { z } from '@hono/zod-openapi';

export const ErrorItemSchema = z
  .object({
    code: z.string(),
    message: z.string(),
    hint: z.string().optional(),
    pointer: z.string().optional(),
    parameter: z.string().optional(),
    line: z.number().int().optional(),
  })
  .openapi('ErrorItem');

export const ProblemSchema = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.number().int(),
    detail: z.string(),
    code: z.string(),
    request_id: z.string(),
    errors: z.array(ErrorItemSchema).optional(),
  })
  .openapi('Problem');

const problem = (description: string) => ({
  description,
  content: { 'application/problem+json': { schema: ProblemSchema } },
});

/** Answers that any read may give beside its own. */
export const readProblems = {
  400: problem('A key in the query.'),
  401: problem('No key where one is needed, or not a valid one.'),
  404: problem('There is no such thing.'),
  422: problem('The request is not valid; `errors` names every fault.'),
  503: problem('The database does not answer; try again.'),
} as const;

/** Answers that any write may give beside its own. */
export const writeProblems = {
  ...readProblems,
  403: problem("The key's scopes do not allow this."),
} as const;

export const tooLarge = { 413: problem('The body is too large.') } as const;
export const tooMany = { 429: problem('Too many requests; Retry-After says when to come back.') } as const;
export const notJson = { 415: problem('The body is not JSON.') } as const;
export const conflict = { 409: problem('It is there already.') } as const;

/** A page: `next_cursor` is null on the last one. */
export function pageOf<T extends z.ZodType>(item: T) {
  return z.object({ data: z.array(item), next_cursor: z.string().nullable() });
}

export const pageShape = {
  limit: z
    .string()
    .regex(/^\d{1,3}$/, 'must be a whole number from 1 to 200')
    .transform(Number)
    .pipe(z.number().min(1, 'must be at least 1').max(200, 'must be at most 200'))
    .optional()
    .openapi({ description: 'Entries a page, 1 to 200; 50 by default.', example: '50' }),
  cursor: z.string().max(500).optional().openapi({ description: '`next_cursor` of the page before.' }),
} as const;
export const limitDefault = 50;

export const MetricValuesSchema = z
  .record(z.string(), z.number().nullable())
  .openapi('MetricValues', { description: 'Values by metric name; null is missing, zero is a measurement.' });
