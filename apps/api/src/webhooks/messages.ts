import { type OpenAPIHono, z } from '@hono/zod-openapi';
import { endStates } from '@inferboard/core/plans/run-state';
import type { WebhookEvent } from '@inferboard/db/runs/webhook';
import { CutShortSchema } from '../runs/run-schema.ts';

const id = (prefix: string, description: string) =>
  z.string().openapi({ description, example: `${prefix}_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f` });

const RunSchema = z.object({
  run_id: id('run', 'The run.'),
  endpoint_id: id('ep', 'What was measured.'),
  schedule_id: z.string().nullable().openapi({ description: 'The schedule that started it.' }),
  links: z.object({ run: z.string(), submissions: z.array(z.string()) }),
});

const RegressionSchema = z
  .looseObject({ result_id: z.string(), type: z.string(), metric: z.string() })
  .openapi({ description: 'The change, as in GET /v1/changes.' });

interface Message {
  summary: string;
  data: z.ZodObject;
  example: object;
}

const run = {
  run_id: 'run_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f',
  endpoint_id: 'ep_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f',
  schedule_id: null,
  links: {
    run: 'http://localhost:8787/v1/runs/run_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f',
    submissions: ['http://localhost:8787/v1/submissions/sub_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f'],
  },
};
const FirstSchema = z.object({
  system_id: id('sys', 'The system.'),
  label: z.string(),
  value: z.number().openapi({ description: 'Of the metric, in `unit`.' }),
  yours: z.boolean().openapi({ description: "Whether it is a result of the webhook's account." }),
  links: z.object({ system: z.string(), page: z.string() }),
});

const FirstChangeSchema = z.object({
  workload: z.string(),
  rank_by: z
    .string()
    .openapi({ description: 'The metric of the board: one that boards rank by if none is requested.' }),
  definition: z.string().nullable().openapi({ description: 'The group of formulas; null if the metric has only one.' }),
  unit: z.string(),
  first: FirstSchema.openapi({ description: 'The system that is first now.' }),
  before: FirstSchema.openapi({ description: 'The system that was first, with its value then.' }),
  links: z.object({ leaderboard: z.string() }),
});

const firstOf = (system_id: string, label: string, value: number, yours: boolean) => {
  const base = 'http://localhost:8787';
  return {
    ...{ system_id, label, value, yours },
    links: { system: `${base}/v1/systems/${system_id}`, page: `${base}/systems/${system_id}` },
  };
};

const submission_id = 'sub_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f';
const submission = { submission_id: id('sub', '`GET /v1/submissions/{id}` has the reasons.') };
const count = (description: string) => z.number().int().openapi({ description });

/** The `data` of each event. */
export const messages: Record<WebhookEvent | 'ping', Message> = {
  'run.ended': {
    summary: 'A managed run of the account ended',
    data: RunSchema.extend({
      state: z.enum(endStates),
      failure: z.looseObject({}).nullable().openapi({ description: 'Why it failed; null if it did not.' }),
      points_measured: count('Measured points, including those cut short.'),
      cut_short: CutShortSchema.nullable().openapi({ description: 'As in GET /v1/runs/{id}.' }),
    }),
    example: {
      ...{ ...run, state: 'processed', failure: null, points_measured: 8 },
      cut_short: { points: 1, last_error: 'status 503: "overloaded"' },
    },
  },
  'result.regressed': {
    summary: 'A run or a submission of the account caused regressions',
    data: RunSchema.partial().extend({
      submission_id: z.string().optional().openapi({ description: 'The submission, if it is not from a run.' }),
      links: z.object({ run: z.string().optional(), submissions: z.array(z.string()) }),
      regressions: z.array(RegressionSchema).openapi({ description: 'The first 100.' }),
      regressions_total: count('Their number.'),
    }),
    example: {
      submission_id,
      links: { submissions: [`http://localhost:8787/v1/submissions/${submission_id}`] },
      regressions: [{ result_id: 'res_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f', type: 'version', metric: 'output_tok_s' }],
      regressions_total: 1,
    },
  },
  'submission.held': {
    summary: 'Results of a submission are held for review',
    data: z.object({ ...submission, results_held: count('Results that are held now.') }),
    example: { submission_id, results_held: 1 },
  },
  'submission.cleared': {
    summary: 'A review cleared held results',
    data: z.object({
      ...submission,
      results_cleared: count('Results that the review cleared.'),
      results_held: count('Results that are still held.'),
    }),
    example: { submission_id, results_cleared: 1, results_held: 0 },
  },
  'submission.disputed': {
    summary: 'A reader reported a problem with a submission',
    data: z.object({
      ...submission,
      concern_id: id('con', '`GET /v1/concerns/{id}` has the text.'),
      reason: z.string().openapi({ description: 'As in POST /v1/submissions/{id}/concerns.' }),
    }),
    example: { submission_id, concern_id: 'con_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f', reason: 'other' },
  },
  'rank.changed': {
    summary: 'Another system is first on boards',
    data: z.object({
      changes: z.array(FirstChangeSchema).openapi({ description: 'The first 100.' }),
      changes_total: count('Number of changes.'),
    }),
    example: {
      changes: [
        {
          ...{ workload: 'chatbot-burst', rank_by: 'output_tok_s_per_gpu', definition: null, unit: 'tok/s' },
          first: firstOf(
            'sys_3f1c0a9b8d7e6f5a4b3c2d1e',
            'Llama 3.1 8B · fp8 · 1x H100 SXM · vLLM 0.11.0',
            1240.5,
            false,
          ),
          before: firstOf(
            'sys_9a8b7c6d5e4f3a2b1c0d9e8f',
            'Llama 3.1 8B · fp8 · 1x H100 SXM · vLLM 0.10.2',
            1180.25,
            true,
          ),
          links: {
            leaderboard: 'http://localhost:8787/v1/leaderboard?workload=chatbot-burst&rank_by=output_tok_s_per_gpu',
          },
        },
      ],
      changes_total: 1,
    },
  },
  ping: {
    summary: 'A test, sent on request',
    data: z.object({}),
    example: {},
  },
};

const header = (name: string, description: string, example: string) => ({
  name,
  in: 'header' as const,
  required: true,
  description,
  schema: { type: 'string' as const },
  example,
});

const headers = [
  header('webhook-id', 'Id of the message. A repetition has the same id.', 'msg_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f'),
  header('webhook-timestamp', 'When this attempt was made, in seconds since 1970.', '1793491200'),
  header(
    'webhook-signature',
    'HMAC-SHA256 of `id.timestamp.body` with the secret, in the format of Standard Webhooks.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
];

/** The schema of a message's JSON body. */
export const messageSchema = (event: WebhookEvent | 'ping') =>
  z.object({
    type: z.literal(event),
    timestamp: z.string().openapi({ format: 'date-time', description: 'When it happened.' }),
    data: messages[event].data,
  });

/** Describes the messages in the document, under `webhooks`. */
export function registerMessages(registry: OpenAPIHono['openAPIRegistry']): void {
  for (const [event, { summary, example }] of Object.entries(messages) as [WebhookEvent | 'ping', Message][]) {
    const operation = event.replace(/[._](\w)/g, (_, letter: string) => letter.toUpperCase());
    registry.registerWebhook({
      method: 'post',
      path: event,
      operationId: `on${operation.slice(0, 1).toUpperCase()}${operation.slice(1)}`,
      tags: ['Managed runs'],
      summary,
      description:
        'Sent by POST and signed according to Standard Webhooks. A 2xx status within 10 seconds confirms it; otherwise it is retried eight times within a day.',
      security: [],
      request: {
        body: {
          required: true,
          content: {
            'application/json': {
              schema: messageSchema(event),
              example: { type: event, timestamp: '2026-11-01T09:30:00.000Z', data: example },
            },
          },
        },
      },
      parameters: headers,
      responses: {
        '2XX': { description: 'Confirmed.' },
        '410': { description: 'The receiver no longer accepts messages. There are no further attempts.' },
      },
    });
  }
}
