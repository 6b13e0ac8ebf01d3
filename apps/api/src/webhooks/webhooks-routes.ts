import { randomBytes } from 'node:crypto';
import { createRoute, z } from '@hono/zod-openapi';
import { DomainError } from '@inferboard/core/errors';
import { matchWorkload } from '@inferboard/core/filters/filters';
import {
  type DeliveryRow,
  findWebhook,
  insertWebhook,
  listDeliveries,
  listWebhooks,
  queuePing,
  removeWebhook,
  type WebhookRow,
  webhooksMax,
} from '@inferboard/db/runs/webhook';
import { seal } from '@inferboard/outbound/sealed-secrets';
import { auditOf } from '../audit.ts';
import { unknownWorkloadFaults } from '../boards/known-values.ts';
import { fieldsShape } from '../conventions/fields.ts';
import type { Deps } from '../deps.ts';
import { isId } from '../http/is-id.ts';
import { readJsonBody } from '../http/read-json.ts';
import { refuse } from '../http/refuse.ts';
import { createRouter } from '../http/router.ts';
import { reachOf, requireKeyToPost, requireScope } from '../middleware/auth.ts';
import { limitBody } from '../middleware/limit-body.ts';
import { requireMatch } from '../middleware/preconditions.ts';
import { requireLeft } from '../runs/ask-target.ts';
import { checkAddress } from '../runs/check-address.ts';
import { conflict, json, missing, notJson, refusal, targetLimits, tooLarge, writeProblems } from '../schemas/common.ts';
import { sends } from '../schemas/headers.ts';
import { instant } from '../views.ts';
import {
  DeliverySchema,
  type WebhookBody,
  WebhookBodySchema,
  WebhookCreatedSchema,
  WebhookDetailSchema,
  WebhookSchema,
} from './webhook-schema.ts';

export const idParam = z.object({
  id: z.string().openapi({ description: 'Id of the webhook.', example: 'whk_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f' }),
});
const query = z.strictObject({});
const tags = ['Managed runs'];
const security = [{ key: ['run'] }];
export const hiddenFromOthers = "Only your account's; admins can access any.";
const tooMany = `The account has ${webhooksMax} webhooks. Remove one first.`;

/** Number of deliveries shown with a webhook. */
const deliveriesShown = 20;

const createWebhook = createRoute({
  method: 'post',
  path: '/v1/webhooks',
  operationId: 'createWebhook',
  tags,
  summary: 'Create a webhook',
  description:
    'Sends a message when a run ends, a result regresses, a first place changes, or a submission is held, cleared or disputed. ' +
    'Messages are sent by POST and signed according to Standard Webhooks, with the secret that this response shows once. ' +
    `Creating a webhook sends no message. An account can have at most ${webhooksMax}.`,
  security,
  request: {
    query,
    body: {
      required: true,
      content: {
        'application/json': {
          schema: z.toJSONSchema(WebhookBodySchema, { io: 'input' }) as object,
          example: { url: 'https://ci.example.com/hooks/inferboard', events: ['run.ended', 'result.regressed'] },
        },
      },
    },
  },
  responses: {
    201: { ...json('Created.', WebhookCreatedSchema), headers: sends('Location') },
    ...writeProblems,
    ...tooLarge,
    ...notJson,
    ...conflict('The account has the maximum number.', refusal('webhooks_too_many', tooMany)),
  },
});

const listWebhooksRoute = createRoute({
  method: 'get',
  path: '/v1/webhooks',
  operationId: 'listWebhooks',
  tags,
  summary: 'List the webhooks of the account',
  security,
  request: { query: z.strictObject(fieldsShape(WebhookSchema, 'id,url')) },
  responses: {
    200: json('The list.', z.object({ data: z.array(WebhookSchema), next_cursor: z.null() })),
    ...writeProblems,
  },
});

const getWebhook = createRoute({
  method: 'get',
  path: '/v1/webhooks/{id}',
  operationId: 'getWebhook',
  tags,
  summary: `Get a webhook with its last ${deliveriesShown} deliveries`,
  description: hiddenFromOthers,
  security,
  request: { params: idParam, query },
  responses: { 200: json('The webhook.', WebhookDetailSchema), ...writeProblems, ...missing },
});

const removeWebhookRoute = createRoute({
  method: 'delete',
  path: '/v1/webhooks/{id}',
  operationId: 'removeWebhook',
  tags,
  summary: 'Remove a webhook and its secret',
  description: `${hiddenFromOthers} Queued messages are not sent.`,
  security,
  request: { params: idParam, query },
  responses: { 204: { description: 'Removed.' }, ...writeProblems, ...missing },
});

const testWebhook = createRoute({
  method: 'post',
  path: '/v1/webhooks/{id}/test',
  operationId: 'testWebhook',
  tags,
  summary: 'Send a test message',
  description:
    `${hiddenFromOthers} Sends a signed \`ping\`. While one is queued, no second one is added; if it waits for a retry, it is sent now. ` +
    'Each attempt counts as a request to a server without proof of control, like the checks and proofs of its endpoints.',
  security,
  request: { params: idParam, query },
  responses: { 202: json('Queued.', DeliverySchema), ...writeProblems, ...missing, ...targetLimits },
});

const viewWebhook = ({ id, url, events, workloads, createdAt }: WebhookRow, base: string) => ({
  id,
  url,
  events,
  workloads,
  created_at: instant(createdAt),
  links: { self: `${base}/v1/webhooks/${id}` },
});

export const viewDelivery = ({ id, event, attempts, outcome, deliveredAt, createdAt }: DeliveryRow) => ({
  id,
  event,
  attempts,
  outcome,
  delivered_at: deliveredAt === null ? null : instant(deliveredAt),
  created_at: instant(createdAt),
});

/** A secret in the format of Standard Webhooks. */
const createSecret = () => `whsec_${randomBytes(32).toString('base64')}`;

async function store(deps: Deps, accountId: string, body: WebhookBody): Promise<{ row: WebhookRow; secret: string }> {
  const { keyring } = deps;
  if (keyring === null) {
    const message = 'This service cannot sign messages: its operator has not set SECRET_KEY.';
    throw new DomainError('request_invalid', message, [
      { code: 'credentials_not_kept', pointer: '/url', message, hint: 'Use the events of a run instead.' },
    ]);
  }
  checkAddress(body.url, '/url', deps);
  const faults = await unknownWorkloadFaults(deps.database.db, '/workloads', body.workloads);
  if (faults.length > 0) throw new DomainError('request_invalid', 'The body is not valid.', faults);
  const secret = createSecret();
  const workloads = [...new Set(body.workloads.map(matchWorkload))];
  const webhook = { accountId, url: body.url, events: [...new Set(body.events)], workloads };
  const row = await insertWebhook(deps.database.db, webhook, (id) => seal(keyring, { table: 'webhooks', id }, secret));
  if (row === null) throw new DomainError('webhooks_too_many', tooMany);
  return { row, secret };
}

const bodyBytesMax = 16 * 1024;

export function webhookRoutes(deps: Deps) {
  const { db } = deps.database;
  const router = createRouter();
  router.use('/v1/webhooks', requireKeyToPost, limitBody(bodyBytesMax));
  const notFound = () => new DomainError('not_found', 'There is no webhook with this id, or you may not read it.');
  return router
    .openapi(
      createWebhook,
      async (c) => {
        const { accountId } = requireScope(c, 'run');
        const { row, secret } = await store(deps, accountId, await readJsonBody(c, WebhookBodySchema));
        const view = { ...viewWebhook(row, deps.publicUrl), secret };
        return c.json(view, 201, { Location: view.links.self });
      },
      refuse(createWebhook),
    )
    .openapi(
      listWebhooksRoute,
      async (c) => {
        const { accountId } = requireScope(c, 'run');
        const rows = await listWebhooks(db, accountId);
        return c.json({ data: rows.map((row) => viewWebhook(row, deps.publicUrl)), next_cursor: null }, 200);
      },
      refuse(listWebhooksRoute),
    )
    .openapi(
      getWebhook,
      async (c) => {
        const reach = reachOf(c, 'run');
        const { id } = c.req.valid('param');
        const row = isId('whk', id) ? await findWebhook(db, id, reach) : null;
        if (row === null) throw notFound();
        const deliveries = await listDeliveries(db, id, deliveriesShown);
        return c.json({ ...viewWebhook(row, deps.publicUrl), deliveries: deliveries.map(viewDelivery) }, 200);
      },
      refuse(getWebhook),
    )
    .openapi(
      removeWebhookRoute,
      async (c) => {
        const reach = reachOf(c, 'run');
        const { id } = c.req.valid('param');
        await requireMatch(c, `/v1/webhooks/${id}`)();
        const audit = auditOf(c, 'webhook_removed');
        if (!isId('whk', id) || !(await removeWebhook(db, id, reach, (tx) => audit(tx, id)))) throw notFound();
        return c.body(null, 204);
      },
      refuse(removeWebhookRoute),
    )
    .openapi(
      testWebhook,
      async (c) => {
        const reach = reachOf(c, 'run');
        const { id } = c.req.valid('param');
        const audit = auditOf(c, 'webhook_tested');
        const webhook = isId('whk', id) ? await findWebhook(db, id, reach) : null;
        if (webhook === null) throw notFound();
        await requireLeft(deps, webhook.url);
        const delivery = await queuePing(db, id, reach, (tx) => audit(tx, id));
        if (delivery === null) throw notFound();
        return c.json(viewDelivery(delivery), 202);
      },
      refuse(testWebhook),
    );
}
