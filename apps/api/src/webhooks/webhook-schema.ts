import { z } from '@hono/zod-openapi';
import { NameSchema } from '@inferboard/core/text/text';
import { webhookEvents } from '@inferboard/db/runs/webhook';

/** Maximum workloads of a webhook. */
const workloadsMax = 20;

const what = z.enum(webhookEvents, { error: `must be one of ${webhookEvents.join(', ')}` });

export const WebhookBodySchema = z.strictObject({
  url: z
    .string('must be a URL')
    .min(1, 'must not be empty')
    .max(2000, 'must have at most 2000 characters')
    .meta({ format: 'uri', pattern: '^https?://[^#@\\s]*$' })
    .describe('URL that messages are sent to by POST.'),
  events: z
    .array(what, 'must be a list')
    .min(1, 'must have at least one')
    .max(webhookEvents.length, `must have at most ${webhookEvents.length}`)
    .describe(
      'Events to send. `run.ended`: a managed run of the account ended. `result.regressed`: a managed run or a submission of the account caused a regression that GET /v1/changes lists; each is sent once. `submission.held`: results of a submission of the account are held for review. `submission.cleared`: a review cleared held results. `submission.disputed`: a reader reported a problem with a submission of the account. `rank.changed`: another system is first on the board of a workload by one of its default metrics, and the account submitted one of the two or `workloads` names the workload; checked every 15 seconds.',
    ),
  workloads: z
    .array(NameSchema)
    .max(workloadsMax, `must have at most ${workloadsMax}`)
    .default([])
    .describe(
      'For `rank.changed`: workloads whose first places are reported, no matter who submitted them. A shape such as `chatbot` means all its workloads.',
    ),
});

export type WebhookBody = z.output<typeof WebhookBodySchema>;

const shape = {
  id: z.string(),
  url: z.string(),
  events: z.array(z.enum(webhookEvents)),
  workloads: z.array(z.string()).openapi({ description: 'Whose first places `rank.changed` reports in addition.' }),
  created_at: z.string(),
  links: z.object({ self: z.string() }),
};

export const WebhookSchema = z.object(shape).openapi('Webhook');

export const WebhookCreatedSchema = z
  .object({
    ...shape,
    secret: z.string().openapi({ description: 'Secret that signs the messages. It is never shown again.' }),
  })
  .openapi('WebhookCreated');

export const DeliverySchema = z
  .object({
    id: z.string().openapi({ description: 'Same as the header `webhook-id`, which identifies repetitions.' }),
    event: z.enum([...webhookEvents, 'ping']),
    attempts: z.number().int(),
    outcome: z.string().nullable().openapi({ description: 'Outcome of the last attempt; null before it.' }),
    delivered_at: z.string().nullable(),
    created_at: z.string(),
  })
  .openapi('WebhookDelivery');

export const LoggedDeliverySchema = DeliverySchema.extend({
  webhook_id: z.string(),
  next_attempt_at: z.string().nullable().openapi({ description: 'Null once it is finished.' }),
  body: z.looseObject({ type: z.string(), timestamp: z.string(), data: z.looseObject({}) }).openapi({
    description: 'The message as sent.',
  }),
  links: z.object({ redeliver: z.string() }),
}).openapi('WebhookLoggedDelivery');

export const WebhookDetailSchema = z
  .object({
    ...shape,
    deliveries: z.array(DeliverySchema).openapi({ description: 'The latest deliveries, newest first.' }),
  })
  .openapi('WebhookDetail');
