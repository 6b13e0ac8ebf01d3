import { z } from '@hono/zod-openapi';
import { ResultSchema, StatusSchema } from './result.ts';

const ToolSchema = z.object({ name: z.string(), version: z.string().nullable() });
const LinksSchema = z.object({ self: z.string(), page: z.string(), artifact: z.string(), leaderboard: z.string() });

export const SubmissionSummarySchema = z
  .object({
    id: z.string(),
    status: StatusSchema,
    tool: ToolSchema,
    artifact: z.object({ sha256: z.string(), bytes: z.number().int(), media_type: z.string() }),
    account: z.object({ id: z.string(), name: z.string() }),
    result_count: z.number().int(),
    notes: z.string().nullable(),
    source_url: z.string().nullable(),
    retraction: z.object({ at: z.string(), reason: z.string() }).nullable(),
    created_at: z.string(),
    links: LinksSchema.omit({ leaderboard: true }),
  })
  .openapi('SubmissionSummary');

export const SubmissionSchema = z
  .object({
    id: z.string().nullable().openapi({ description: 'Null in the answer to a dry run.' }),
    status: StatusSchema,
    duplicate: z.boolean(),
    dry_run: z.boolean(),
    tool: ToolSchema,
    artifact: z.object({ sha256: z.string(), bytes: z.number().int(), media_type: z.string() }),
    account: z.object({ id: z.string(), name: z.string() }),
    parameters: z.record(z.string(), z.unknown()),
    ignored: z.array(z.string()),
    notes: z.string().nullable(),
    source_url: z.string().nullable(),
    retraction: z.object({ at: z.string(), reason: z.string() }).nullable(),
    created_at: z.string().nullable(),
    results: z.array(ResultSchema),
    links: LinksSchema.nullable(),
  })
  .openapi('Submission');
