import { z } from '@hono/zod-openapi';
import { measuredByUs } from '@inferboard/core/subjects/measured-by';
import { mappableFacts, reviewDecisions } from '@inferboard/core/submission/review';
import { orNull } from '../../boards/choice-schema.ts';
import { resultsShownMax } from '../../short/count-results.ts';
import { SignedSchema } from '../../signing/signing-schema.ts';
import {
  FindingSchema,
  SourceSchema,
  StatusSchema,
  SubmissionStatusSchema,
  SubmittedResultSchema,
} from './result-schema.ts';

/** Describes what a response about a large submission omits. */
export const resultsShownDescription = `The response includes the results if there are at most ${resultsShownMax}, and always their counts; \`full=true\` always includes them.`;

const ToolSchema = z.object({ name: z.string(), version: z.string().nullable() });
const measuredBy = z
  .string()
  .nullable()
  .openapi({
    description: `What a managed run guarantees: "${measuredByUs}" Null if the results were submitted.`,
    example: measuredByUs,
  });
const SubmissionSourceSchema = orNull(SourceSchema).openapi({
  description: 'Facts that the sources of its results have in common; null if none is stated.',
});
const signed = orNull(SignedSchema).openapi({
  description: 'The verified signature of the artifact by its account. Null without a signature.',
});
const LinksSchema = z.object({
  self: z.string(),
  page: z.string(),
  artifact: z.string(),
  read: z.string().openapi({ description: 'The submit page with the artifact; the lines that were read are marked.' }),
  leaderboard: z.string(),
});

export const SubmissionSummarySchema = z
  .object({
    id: z.string(),
    status: SubmissionStatusSchema,
    tool: ToolSchema,
    artifact: z.object({ sha256: z.string(), bytes: z.number().int(), media_type: z.string() }),
    account: z.object({ id: z.string(), name: z.string() }),
    result_count: z.number().int(),
    notes: z.string().nullable(),
    source_url: z.string().nullable(),
    source: SubmissionSourceSchema,
    run_id: z
      .string()
      .nullable()
      .openapi({ description: 'The managed run that measured it; null if it was submitted.' }),
    session_id: z.string().nullable().openapi({
      description:
        'The session of `measure --against` that measured it; `GET /v1/submissions/{id}/session` compares its servers.',
    }),
    measured_by: measuredBy,
    signed,
    retraction: z.object({ at: z.string(), reason: z.string() }).nullable(),
    created_at: z.string(),
    links: LinksSchema.omit({ leaderboard: true }),
  })
  .openapi('SubmissionSummary');

const RenamedSchema = z.object({
  from: z.string().openapi({ description: 'The name as written.' }),
  to: z.string().openapi({ description: 'The catalogue entry that it means.' }),
});

export const ReviewSchema = z
  .object({
    decision: z.enum(reviewDecisions),
    note: z.string(),
    mapping: z
      .partialRecord(z.enum(mappableFacts), RenamedSchema)
      .nullable()
      .openapi({ description: 'Unknown names and what they mean; null if none was mapped.' }),
    results: z.array(z.string()).nullable().openapi({
      description: 'Ids of the results that it applies to; null if the response has no results.',
    }),
    at: z.string(),
    by: z.string().openapi({ description: 'Name of the account that decided.' }),
  })
  .openapi('ReviewOfResults');

const FindingKindSchema = z
  .object({
    ...FindingSchema.pick({ code: true, severity: true }).shape,
    results: z.number().int().openapi({ description: 'Results that have it.' }),
    message: z.string().openapi({ description: 'Message for the first of them.' }),
    result_id: z.string().nullable().openapi({ description: 'The first of them; null in the response to a dry run.' }),
  })
  .openapi('FindingKind');

const SummarySchema = z
  .object({
    systems: z.number().int().openapi({ description: 'Systems of the results.' }),
    statuses: z.partialRecord(StatusSchema, z.number().int()).openapi({ description: 'Results by their status.' }),
    findings: z
      .array(FindingKindSchema)
      .openapi({ description: 'Findings by kind, most serious first, without unchecked ones.' }),
  })
  .openapi('SubmissionResultsSummary');

const ClaimSchema = z
  .object({
    token: z.string().openapi({ description: 'For `POST /v1/submissions/{id}/claim`. It is shown once.' }),
    url: z.string().openapi({ description: 'The page that does the same.' }),
    expires_at: z.string(),
  })
  .openapi('ClaimLink');

export const SubmissionSchema = z
  .object({
    id: z
      .string()
      .nullable()
      .openapi({ description: 'Null in a dry run of an artifact that the account has not submitted.' }),
    status: SubmissionStatusSchema,
    duplicate: z.boolean(),
    dry_run: z.boolean(),
    tool: ToolSchema,
    artifact: z.object({ sha256: z.string(), bytes: z.number().int(), media_type: z.string() }),
    account: z.object({ id: z.string(), name: z.string() }),
    parameters: z.record(z.string(), z.unknown()),
    ignored: z.array(z.string()),
    notes: z.string().nullable(),
    source_url: z.string().nullable(),
    source: SubmissionSourceSchema,
    run_id: z
      .string()
      .nullable()
      .openapi({ description: 'The managed run that measured it; null if it was submitted.' }),
    session_id: z.string().nullable().openapi({
      description:
        'The session of `measure --against` that measured it; `GET /v1/submissions/{id}/session` compares its servers.',
    }),
    measured_by: measuredBy,
    signed,
    retraction: z.object({ at: z.string(), reason: z.string() }).nullable(),
    reviews: z.array(ReviewSchema).openapi({ description: 'Decisions of admins, oldest first.' }),
    created_at: z.string().nullable(),
    claim: ClaimSchema.optional().openapi({
      description: 'Only in the response to a submission without a key: how an account can claim it.',
    }),
    result_count: z.number().int(),
    summary: orNull(SummarySchema).openapi({
      description: 'Summary of omitted results; null if `results` is present.',
    }),
    results: z
      .array(SubmittedResultSchema)
      .nullable()
      .openapi({
        description: `Null if there are more than ${resultsShownMax}: \`links.full\` has all of them, \`links.results\` has them in pages.`,
      }),
    links: LinksSchema.extend({
      full: z.string().openapi({ description: 'The submission with all its results.' }),
      results: z.string().openapi({ description: 'Its results, in pages.' }),
    }).nullable(),
  })
  .openapi('Submission');
