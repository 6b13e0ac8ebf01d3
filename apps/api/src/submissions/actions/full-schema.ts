import { z } from '@hono/zod-openapi';

/** For responses that are short by default. */
export const fullShape = {
  full: z.enum(['true', 'false'], { error: 'must be true or false' }).optional().openapi({
    example: 'true',
    description:
      'true: the full response, with null for missing values. Otherwise the response is short; see the description of the operation.',
  }),
} as const;

/** Describes the entries of a short response. */
export const shortDescription =
  'The response is short: fields that the schema does not require and metrics that were not measured are omitted. `full=true` includes them.';
