import { z } from '@hono/zod-openapi';
import { webhookEvents } from '@inferboard/db/queries/webhook';

const what = z.enum(webhookEvents, { error: `must be one of ${webhookEvents.join(', ')}` });

export const WebhookBodySchema = z.strictObject({
  url: z
    .string('must be an address')
    .min(1, 'must not be empty')
    .max(2000, 'must have at most 2000 characters')
    .meta({ format: 'uri', pattern: '^https?://[^#@\\s]*$' })
    .describe('Where messages are sent by POST.'),
  events: z
    .array(what, 'must be a list')
    .min(1, 'must name one at least')
    .max(webhookEvents.length, `must name ${webhookEvents.length} at most`)
    .describe(
      'What to be told of. `run.ended`: a managed run of the account is over. `result.regressed`: a managed run or a submission of the account brought a regression that GET /v1/changes lists; each is told once.',
    ),
});

export type WebhookBody = z.output<typeof WebhookBodySchema>;

const shape = {
  id: z.string(),
  url: z.string(),
  events: z.array(z.enum(webhookEvents)),
  created_at: z.string(),
  links: z.object({ self: z.string() }),
};

export const WebhookSchema = z.object(shape).openapi('Webhook');

export const WebhookCreatedSchema = z
  .object({
    ...shape,
    secret: z.string().openapi({ description: 'What messages are signed with. It is never shown again.' }),
  })
  .openapi('WebhookCreated');

export const DeliverySchema = z
  .object({
    id: z.string().openapi({ description: 'As in the header `webhook-id`, by which a repetition is known.' }),
    event: z.enum([...webhookEvents, 'ping']),
    attempts: z.number().int(),
    outcome: z.string().nullable().openapi({ description: 'What became of the last attempt; null before it.' }),
    delivered_at: z.string().nullable(),
    created_at: z.string(),
  })
  .openapi('WebhookDelivery');

export const WebhookDetailSchema = z
  .object({
    ...shape,
    deliveries: z.array(DeliverySchema).openapi({ description: 'The last ones, newest first.' }),
  })
  .openapi('WebhookDetail');
