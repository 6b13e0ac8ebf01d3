import { z } from '@hono/zod-openapi';

/** Of answers that are short unless the whole is asked for. */
export const fullShape = {
  full: z.enum(['true', 'false'], { error: 'must be true or false' }).optional().openapi({
    example: 'true',
    description:
      'true: the whole answer, with null for what was not measured. Otherwise the answer is short, as the description of the operation says.',
  }),
} as const;

/** What every short answer says of its entries. */
export const shortDescription =
  'The answer is short: fields that the schema does not require, and metrics that were not measured, are left out. `full=true` has them all.';
