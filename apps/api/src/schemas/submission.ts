import { z } from '@hono/zod-openapi';
import { measuredByUs } from '@inferboard/core/measured-by';
import { mappableFacts, reviewDecisions } from '@inferboard/core/submission/review';
import { resultsShownMax } from '../short/count-results.ts';
import { orNull } from './choice.ts';
import { FindingSchema, SourceSchema, StatusSchema, SubmissionStatusSchema, SubmittedResultSchema } from './result.ts';

const ToolSchema = z.object({ name: z.string(), version: z.string().nullable() });
const measuredBy = z
  .string()
  .nullable()
  .openapi({
    description: `What a managed run is believed for: "${measuredByUs}" Null where somebody sent the results.`,
    example: measuredByUs,
  });
const SubmissionSourceSchema = orNull(SourceSchema).openapi({
  description: 'What its results have in common of their sources; null where nobody stated one.',
});
const LinksSchema = z.object({
  self: z.string(),
  page: z.string(),
  artifact: z.string(),
  read: z.string().openapi({ description: 'The submit page with the artifact, the lines that were read marked.' }),
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
      .openapi({ description: 'The managed run that measured it; null where somebody sent it.' }),
    measured_by: measuredBy,
    retraction: z.object({ at: z.string(), reason: z.string() }).nullable(),
    created_at: z.string(),
    links: LinksSchema.omit({ leaderboard: true }),
  })
  .openapi('SubmissionSummary');

const RenamedSchema = z.object({
  from: z.string().openapi({ description: 'The name as it was written.' }),
  to: z.string().openapi({ description: 'What it means, in the words of the catalogue.' }),
});

export const ReviewSchema = z
  .object({
    decision: z.enum(reviewDecisions),
    note: z.string(),
    mapping: z
      .partialRecord(z.enum(mappableFacts), RenamedSchema)
      .nullable()
      .openapi({ description: 'Unknown names and what they mean; null where none was mapped.' }),
    results: z.array(z.string()).nullable().openapi({
      description: 'Ids of the results it was about; null where the submission is answered without its results.',
    }),
    at: z.string(),
    by: z.string().openapi({ description: 'Name of the account that decided.' }),
  })
  .openapi('ReviewOfResults');

const FindingKindSchema = z
  .object({
    ...FindingSchema.pick({ code: true, severity: true }).shape,
    results: z.number().int().openapi({ description: 'Results that have it.' }),
    message: z.string().openapi({ description: 'What it says of the first of them.' }),
    result_id: z.string().nullable().openapi({ description: 'The first of them; null in the answer to a dry run.' }),
  })
  .openapi('FindingKind');

const SummarySchema = z
  .object({
    systems: z.number().int().openapi({ description: 'Systems that the results are of.' }),
    statuses: z.partialRecord(StatusSchema, z.number().int()).openapi({ description: 'Results by their status.' }),
    findings: z
      .array(FindingKindSchema)
      .openapi({ description: 'Findings by kind, the most serious first; unchecked ones are not among them.' }),
  })
  .openapi('SubmissionResultsSummary');

export const SubmissionSchema = z
  .object({
    id: z.string().nullable().openapi({ description: 'Null in the answer to a dry run.' }),
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
      .openapi({ description: 'The managed run that measured it; null where somebody sent it.' }),
    measured_by: measuredBy,
    retraction: z.object({ at: z.string(), reason: z.string() }).nullable(),
    reviews: z.array(ReviewSchema).openapi({ description: 'What admins decided, in the order in which they did.' }),
    created_at: z.string().nullable(),
    result_count: z.number().int(),
    summary: orNull(SummarySchema).openapi({
      description: 'What the results are, in their place; null where they are there.',
    }),
    results: z
      .array(SubmittedResultSchema)
      .nullable()
      .openapi({
        description: `Null where there are more than ${resultsShownMax}: \`links.full\` has them all, \`links.results\` page by page.`,
      }),
    links: LinksSchema.extend({
      full: z.string().openapi({ description: 'The submission with all its results.' }),
      results: z.string().openapi({ description: 'Its results, page by page.' }),
    }).nullable(),
  })
  .openapi('Submission');
