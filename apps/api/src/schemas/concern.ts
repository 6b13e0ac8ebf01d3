import { z } from '@hono/zod-openapi';
import {
  concernActionIds,
  concernActions,
  concernDecisions,
  concernReasonIds,
  concernReasons,
  concernStates,
  concernTextMax,
} from '@inferboard/core/concerns';
import { holdsCredential } from '@inferboard/core/credentials';
import type { Fault } from '@inferboard/core/errors';
import { proseSchema } from '@inferboard/core/text';
import { NoteSchema } from './review.ts';

const oneOf = (words: readonly string[]) => ({ error: `must be one of ${words.join(', ')}` });

/** Words of a reader or an owner: as they wrote them, in Unicode's composed form and without blanks around them. */
const WordsSchema = z
  .string('must be a text')
  .transform((text) => text.normalize('NFC').trim())
  .pipe(
    proseSchema(concernTextMax)
      .refine((text) => text !== '', 'must not be empty')
      .refine((text) => !holdsCredential(text), 'must not hold a key or token: it may become public'),
  )
  .meta({ type: 'string', minLength: 1, maxLength: concernTextMax });

const meaningsOf = (entries: readonly { id: string; meaning: string }[]) =>
  entries.map(({ id, meaning }) => `\`${id}\`: ${meaning}`).join(' ');

export const ConcernBodySchema = z.strictObject({
  reason: z.enum(concernReasonIds, oneOf(concernReasonIds)).describe(`What is wrong. ${meaningsOf(concernReasons)}`),
  text: WordsSchema.describe(
    `What you saw, and how anybody can see it too. Plain text, at most ${concernTextMax} characters; public once it is decided.`,
  ),
});
export type ConcernBody = z.output<typeof ConcernBodySchema>;

export const AnswerBodySchema = z.strictObject({
  text: WordsSchema.describe(
    `What you say to it. Plain text, at most ${concernTextMax} characters; public once it is decided.`,
  ),
});

const DecisionFieldsSchema = z.strictObject({
  decision: z.enum(concernDecisions, oneOf(concernDecisions)),
  note: NoteSchema.describe('Why, for everyone to read. Plain text, at most 2000 characters.'),
  action: z
    .enum(concernActionIds, oneOf(concernActionIds))
    .optional()
    .describe(`What becomes of the submission; \`none\` if left away. ${meaningsOf(concernActions)}`),
});

function actionFaults({ decision, action }: Record<string, unknown>): Fault[] {
  if (decision !== 'dismissed' || action === undefined || action === 'none') return [];
  if (!concernActionIds.some((known) => known === action)) return [];
  const message = 'action follows from a concern that is upheld; this one is dismissed.';
  return [{ code: 'value_invalid', pointer: '/action', message, hint: 'Leave it away, or decide "upheld".' }];
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const ConcernDecisionBodySchema = DecisionFieldsSchema.superRefine(
  (body, ctx) => {
    for (const fault of actionFaults(body)) ctx.addIssue({ code: 'custom', params: { fault } });
  },
  // Checked even if other fields are invalid, so that one response lists all errors.
  { when: ({ value }) => isRecord(value) },
);
export type ConcernDecisionBody = z.output<typeof ConcernDecisionBodySchema>;

const { shape } = DecisionFieldsSchema;
const documentOf = (fields: z.ZodType) => z.toJSONSchema(fields, { io: 'input' }) as object;

/** The bodies for the reference, with what the schemas alone do not say. */
export const concernBodyDocument = documentOf(ConcernBodySchema);
export const answerBodyDocument = documentOf(AnswerBodySchema);
export const decisionBodyDocument: object = {
  anyOf: [
    documentOf(DecisionFieldsSchema.extend({ decision: shape.decision.extract(['upheld']) })),
    documentOf(
      DecisionFieldsSchema.extend({
        decision: shape.decision.extract(['dismissed']),
        action: z.literal('none').optional(),
      }),
    ),
  ],
};

/** Shown in the reference. */
export const concernExamples = {
  reported: {
    reason: 'wrong_system',
    text: 'The log in the artifact names an H100 PCIe; the submission says H100 SXM.',
  },
  answered: {
    text: 'The log is of the head node, the load ran on the SXM nodes. I will send it again with their log.',
  },
  retracted: {
    decision: 'upheld',
    note: 'Nothing in the artifact speaks of the GPU that is named.',
    action: 'retract',
  },
  dismissed: { decision: 'dismissed', note: 'The log names both machines; the figures are of the one that is named.' },
} as const;

export const ConcernSchema = z
  .object({
    id: z.string(),
    submission_id: z.string(),
    reason: z.enum(concernReasonIds),
    text: z.string().openapi({ description: 'What the reader wrote.' }),
    state: z.enum(concernStates),
    answer: z
      .object({ text: z.string(), at: z.string() })
      .nullable()
      .openapi({ description: "The words of the submission's owner; null where there are none." }),
    decision: z
      .object({
        note: z.string(),
        action: z.enum(concernActionIds),
        by: z.string().openapi({ description: 'Name of the account that decided.' }),
        at: z.string(),
      })
      .nullable()
      .openapi({ description: 'Null while it is open.' }),
    reporter: z.string().nullable().openapi({
      description: 'Id of the account that reported it, for admins alone; null for others, and where no key was sent.',
    }),
    created_at: z.string(),
    links: z.object({ self: z.string(), submission: z.string(), page: z.string() }),
  })
  .openapi('Concern');
