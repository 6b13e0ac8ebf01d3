import { z } from '@hono/zod-openapi';
import { AdditionIdSchema } from '@inferboard/core/catalogue/additions/additions';
import { mappableFacts, resolveTarget, reviewDecisions } from '@inferboard/core/submission/review';
import { NameSchema } from '@inferboard/core/text/text';
import { NoteSchema } from './review-schema.ts';

const fact = z.enum(mappableFacts, { error: `must be one of ${mappableFacts.join(', ')}` });

export const HeldNameSchema = z
  .object({
    fact,
    name: z.string().openapi({ description: 'The name as written.' }),
    key: z.string().openapi({ description: 'Names with the same key are treated as one.' }),
    results: z.number().int(),
    submissions: z.number().int(),
    known_as: z
      .string()
      .nullable()
      .openapi({ description: 'Catalogue entry that the name now resolves to; null if none.' }),
  })
  .openapi('HeldName', {
    description: 'A name that was unknown when results were submitted, and the results held for it.',
  });

export const HeldNamesQuerySchema = z.strictObject({
  fact: fact.optional().openapi({ description: 'Only names of this fact.', example: 'gpu' }),
  known_as: AdditionIdSchema.optional().openapi({
    description: 'Only names that now resolve to this catalogue entry.',
    example: 'h100-sxm',
  }),
});

export const HeldNamesSchema = z.object({ data: z.array(HeldNameSchema) }).openapi('HeldNames');

const FieldsSchema = z.strictObject({
  fact,
  name: NameSchema.describe('The unknown name, as it was written.'),
  decision: z.enum(reviewDecisions, { error: `must be one of ${reviewDecisions.join(', ')}` }),
  to: NameSchema.optional().describe(
    'What the name means: an id or alias of the catalogue. Only for the decision map.',
  ),
  note: NoteSchema.describe('Reason (public). Plain text, at most 2000 characters.'),
});

const isWhole = (value: unknown): value is z.output<typeof FieldsSchema> => FieldsSchema.safeParse(value).success;

export const HeldNameReviewSchema = FieldsSchema.superRefine(
  ({ decision, to, fact: asked }, ctx) => {
    const refuse = (fault: object) => ctx.addIssue({ code: 'custom', params: { fault: { ...fault, pointer: '/to' } } });
    if (decision === 'map' && to === undefined)
      refuse({ code: 'value_invalid', message: 'decision "map" requires to: what the name means.' });
    else if (decision !== 'map' && to !== undefined)
      refuse({ code: 'value_invalid', message: `decision "${decision}" does not map a name.`, hint: 'Omit "to".' });
    else if (to !== undefined) {
      const target = resolveTarget(asked, to);
      if ('fault' in target) refuse(target.fault);
    }
  },
  { when: ({ value }) => isWhole(value) },
);

/** The same for the document, which states the decision that requires `to`. */
const documented = z.union([
  FieldsSchema.extend({ decision: z.literal('map'), to: NameSchema.describe('An id or alias of the catalogue.') }),
  FieldsSchema.omit({ to: true }).extend({ decision: z.enum(['clear', 'keep']) }),
]);
export const heldNameReviewDocument = z.toJSONSchema(documented, { io: 'input' }) as object;

export const heldNameExample = {
  fact: 'gpu',
  name: 'Frobnicator 9000',
  decision: 'map',
  to: 'h100-sxm',
  note: 'The cloud provider uses its own name for H100 machines.',
};

export const HeldNameReviewedSchema = z
  .object({
    fact,
    name: z.string(),
    key: z.string(),
    decision: z.enum(reviewDecisions),
    submissions: z.array(
      z.object({
        id: z.string(),
        results: z.number().int().openapi({ description: 'Number of results that the decision applies to.' }),
        status: z
          .string()
          .nullable()
          .openapi({ description: 'Status of the submission afterwards; null if it failed.' }),
        code: z.string().nullable().openapi({ description: 'Why it failed, such as artifact_reads_differently.' }),
      }),
    ),
    has_more: z.boolean().openapi({ description: 'True if more submissions wait. Send the same request again.' }),
  })
  .openapi('HeldNameReviewed');
