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
import { proseSchema } from '@inferboard/core/text/text';
import { NoteSchema } from './review-schema.ts';

const oneOf = (words: readonly string[]) => ({ error: `must be one of ${words.join(', ')}` });

/** Text of a reader or an owner, trimmed and in Unicode's composed form (NFC). */
const WordsSchema = z
  .string('must be a string')
  .transform((text) => text.normalize('NFC').trim())
  .pipe(
    proseSchema(concernTextMax)
      .refine((text) => text !== '', 'must not be empty')
      .refine((text) => !holdsCredential(text), 'must not contain a key or token: it may become public'),
  )
  .meta({ type: 'string', minLength: 1, maxLength: concernTextMax });

const meaningsOf = (entries: readonly { id: string; meaning: string }[]) =>
  entries.map(({ id, meaning }) => `\`${id}\`: ${meaning}`).join(' ');

export const ConcernBodySchema = z.strictObject({
  reason: z.enum(concernReasonIds, oneOf(concernReasonIds)).describe(`What is wrong. ${meaningsOf(concernReasons)}`),
  text: WordsSchema.describe(
    `What you found, and how others can verify it. Plain text, at most ${concernTextMax} characters; public once it is decided.`,
  ),
});

export const AnswerBodySchema = z.strictObject({
  text: WordsSchema.describe(
    `Your answer. Plain text, at most ${concernTextMax} characters; public once it is decided.`,
  ),
});

const DecisionFieldsSchema = z.strictObject({
  decision: z.enum(concernDecisions, oneOf(concernDecisions)),
  note: NoteSchema.describe('Reason (public). Plain text, at most 2000 characters.'),
  action: z
    .enum(concernActionIds, oneOf(concernActionIds))
    .optional()
    .describe(`What happens to the submission. Default: \`none\`. ${meaningsOf(concernActions)}`),
});

function actionFaults({ decision, action }: Record<string, unknown>): Fault[] {
  if (decision !== 'dismissed' || action === undefined || action === 'none') return [];
  if (!concernActionIds.some((known) => known === action)) return [];
  const message = 'action is only for an upheld concern; this one is dismissed.';
  return [{ code: 'value_invalid', pointer: '/action', message, hint: 'Omit it, or decide "upheld".' }];
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

/** The bodies for the reference, with the rules that the schemas alone do not express. */
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
    text: 'The log in the artifact names an H100 PCIe; the submission names an H100 SXM.',
  },
  answered: {
    text: 'The log is of the head node, the load ran on the SXM nodes. I will send it again with their log.',
  },
  retracted: {
    decision: 'upheld',
    note: 'Nothing in the artifact mentions the stated GPU.',
    action: 'retract',
  },
  dismissed: { decision: 'dismissed', note: 'The log names both machines. The figures are from the stated one.' },
} as const;

export const ConcernSchema = z
  .object({
    id: z.string(),
    submission_id: z.string(),
    reason: z.enum(concernReasonIds),
    text: z.string().openapi({ description: 'Text of the report.' }),
    state: z.enum(concernStates),
    answer: z
      .object({ text: z.string(), at: z.string() })
      .nullable()
      .openapi({ description: "The answer of the submission's owner; null if there is none." }),
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
      description: 'Id of the account that reported it, only for admins; null for others, and if no key was sent.',
    }),
    created_at: z.string(),
    links: z.object({ self: z.string(), submission: z.string(), page: z.string() }),
  })
  .openapi('Concern');
