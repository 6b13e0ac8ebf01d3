import { z } from '@hono/zod-openapi';
import { holdsCredential } from '@inferboard/core/credentials';
import type { Fault } from '@inferboard/core/errors';
import { mappableFacts, resolveTarget, reviewDecisions } from '@inferboard/core/submission/review';
import { NameSchema, proseSchema } from '@inferboard/core/text/text';

const noteLengthMax = 2000;

/** A public note on a decision. */
export const NoteSchema = proseSchema(noteLengthMax)
  .refine((text) => text.trim() !== '', 'must not be empty')
  .refine((text) => !holdsCredential(text), 'must not contain a key or token: notes are public');

/** The target of a mapping, as the catalogue's canonical name. */
const targetSchema = (fact: (typeof mappableFacts)[number]) =>
  NameSchema.transform((text, ctx) => {
    const target = resolveTarget(fact, text);
    if ('to' in target) return target.to;
    ctx.addIssue({ code: 'custom', params: { fault: target.fault } });
    return z.NEVER;
  }).optional();

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Mapped names require the decision `map`, and no other decision accepts them. */
function decisionFaults({ decision, ...given }: Record<string, unknown>): Fault[] {
  if (!reviewDecisions.some((known) => known === decision)) return [];
  const named = mappableFacts.filter((fact) => fact in given);
  if (decision === 'map') {
    if (named.length > 0) return [];
    const message = 'decision "map" requires the meaning of the unknown name: gpu, model, quantization or engine.';
    return [{ code: 'value_invalid', pointer: '/decision', message, hint: 'For example, add "gpu": "h100-sxm".' }];
  }
  return named.map((fact) => ({
    code: 'value_invalid',
    pointer: `/${fact}`,
    message: `${fact} maps a name, but decision "${decision}" does not.`,
    hint: 'Omit it, or decide "map".',
  }));
}

const FieldsSchema = z.strictObject({
  decision: z.enum(reviewDecisions, { error: `must be one of ${reviewDecisions.join(', ')}` }),
  note: NoteSchema.describe(`Reason (public). Plain text, at most ${noteLengthMax} characters.`),
  results: z
    .array(z.string().max(100))
    .min(1, 'must name at least one result')
    .max(10_000, 'must name at most 10000 results')
    .optional()
    .describe('Ids of the results to decide on. Default: all that are quarantined.'),
  gpu: targetSchema('gpu').describe('What the unknown GPU is: an id, alias or family of the catalogue.'),
  model: targetSchema('model').describe('What the unknown model is: an id or alias of the catalogue.'),
  quantization: targetSchema('quantization').describe('What the unknown quantization is.'),
  engine: targetSchema('engine').describe('What the unknown engine is: an id or alias of the catalogue.'),
});

export const ReviewBodySchema = FieldsSchema.superRefine(
  (body, ctx) => {
    for (const fault of decisionFaults(body)) ctx.addIssue({ code: 'custom', params: { fault } });
  },
  // Checked even if other fields are invalid, so that one response lists all errors.
  { when: ({ value }) => isRecord(value) },
);
export type ReviewBody = z.output<typeof ReviewBodySchema>;

const meanings = {
  clearOrKeep:
    '`clear`: the results rank with the figures and facts as submitted; those of a new account become provisional. ' +
    '`keep`: the results stay off the boards.',
  map: 'Replaces the unknown names by those of the catalogue given here, and checks the results again.',
};
const withoutMapping = FieldsSchema.omit({ gpu: true, model: true, quantization: true, engine: true });
const documentOf = (fields: z.ZodType) => z.toJSONSchema(fields, { io: 'input' });

/** The body for the reference, with the rules of `decisionFaults`: one shape for each fact that can be mapped. */
export const reviewBodyDocument: object = {
  anyOf: [
    documentOf(
      withoutMapping.extend({
        decision: withoutMapping.shape.decision.exclude(['map']).describe(meanings.clearOrKeep),
      }),
    ),
    ...mappableFacts.map((fact) =>
      documentOf(
        FieldsSchema.extend({
          decision: withoutMapping.shape.decision.extract(['map']).describe(meanings.map),
        }).required({
          [fact]: true,
        } as {
          [fact in typeof fact]: true;
        }),
      ),
    ),
  ],
};

/** Shown in the reference. */
export const reviewExamples = {
  map: { decision: 'map', gpu: 'h100-sxm', note: 'The cloud provider uses its own name for H100 machines.' },
  clear: {
    decision: 'clear',
    note: 'An engineering sample that is not in the catalogue; the logs agree with the figures.',
  },
} as const;
