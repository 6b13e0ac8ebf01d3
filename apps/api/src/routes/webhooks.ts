import { randomBytes } from 'node:crypto';
import { createRoute, z } from '@hono/zod-openapi';
import { DomainError } from '@inferboard/core/errors';
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
} from '@inferboard/db/queries/webhook';
import { seal } from '@inferboard/outbound/sealed-secrets';
import { requireLeft } from '../actions/ask-target.ts';
import { checkAddress } from '../actions/check-address.ts';
import { auditOf } from '../audit.ts';
import type { Deps } from '../deps.ts';
import { isId } from '../is-id.ts';
import { reachOf, requireKeyToPost, requireScope } from '../middleware/auth.ts';
import { limitBody } from '../middleware/limit-body.ts';
import { requireMatch } from '../middleware/preconditions.ts';
import { readJsonBody } from '../read-json.ts';
import { refuse } from '../refuse.ts';
import { createRouter } from '../router.ts';
import { conflict, missing, notJson, refusal, targetLimits, tooLarge, writeProblems } from '../schemas/common.ts';
import { sends } from '../schemas/headers.ts';
import {
  DeliverySchema,
  type WebhookBody,
  WebhookBodySchema,
  WebhookCreatedSchema,
  WebhookDetailSchema,
  WebhookSchema,
} from '../schemas/webhook.ts';
import { instant } from '../views.ts';
import { json } from './submissions.ts';

const idParam = z.object({
  id: z.string().openapi({ description: 'Id of the webhook.', example: 'whk_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f' }),
});
const query = z.strictObject({});
const tags = ['Managed runs'];
const security = [{ key: ['run'] }];
const hiddenFromOthers = "Of the own account; for admins anybody's.";
const tooMany = `The account has ${webhooksMax} webhooks: remove one first.`;

/** Deliveries that a webhook is shown with. */
const deliveriesShown = 20;

const createWebhook = createRoute({
  method: 'post',
  path: '/v1/webhooks',
  operationId: 'createWebhook',
  tags,
  summary: 'Be told when a run ends or a result has regressed',
  description:
    'Messages are sent by POST and signed as Standard Webhooks has it, with the secret that this answer shows once. Nothing is sent yet. ' +
    `An account has at most ${webhooksMax}.`,
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
    201: { ...json('Made.', WebhookCreatedSchema), headers: sends('Location') },
    ...writeProblems,
    ...tooLarge,
    ...notJson,
    ...conflict('The account has as many as it may.', refusal('webhooks_too_many', tooMany)),
  },
});

const listWebhooksRoute = createRoute({
  method: 'get',
  path: '/v1/webhooks',
  operationId: 'listWebhooks',
  tags,
  summary: 'The webhooks of the account, newest first',
  security,
  request: { query },
  responses: {
    200: json('All of them.', z.object({ data: z.array(WebhookSchema), next_cursor: z.null() })),
    ...writeProblems,
  },
});

const getWebhook = createRoute({
  method: 'get',
  path: '/v1/webhooks/{id}',
  operationId: 'getWebhook',
  tags,
  summary: `One webhook with its last ${deliveriesShown} deliveries`,
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
  description: `${hiddenFromOthers} What waits to be sent is not sent any more.`,
  security,
  request: { params: idParam, query },
  responses: { 204: { description: 'Removed.' }, ...writeProblems, ...missing },
});

const testWebhook = createRoute({
  method: 'post',
  path: '/v1/webhooks/{id}/test',
  operationId: 'testWebhook',
  tags,
  summary: 'Send a message that says nothing',
  description:
    `${hiddenFromOthers} A \`ping\`, signed like any other; while one waits to be sent, there is no second. ` +
    'Each attempt counts as a request to a server that is not proven, with the checks and proofs of endpoints there.',
  security,
  request: { params: idParam, query },
  responses: { 202: json('It waits to be sent.', DeliverySchema), ...writeProblems, ...missing, ...targetLimits },
});

const viewWebhook = ({ id, url, events, createdAt }: WebhookRow, base: string) => ({
  id,
  url,
  events,
  created_at: instant(createdAt),
  links: { self: `${base}/v1/webhooks/${id}` },
});

const viewDelivery = ({ id, event, attempts, outcome, deliveredAt, createdAt }: DeliveryRow) => ({
  id,
  event,
  attempts,
  outcome,
  delivered_at: deliveredAt === null ? null : instant(deliveredAt),
  created_at: instant(createdAt),
});

/** As Standard Webhooks writes secrets. */
const createSecret = () => `whsec_${randomBytes(32).toString('base64')}`;

async function store(deps: Deps, accountId: string, body: WebhookBody): Promise<{ row: WebhookRow; secret: string }> {
  const { keyring } = deps;
  if (keyring === null) {
    const message = 'This service signs no messages: its operator has not set SECRET_KEY.';
    throw new DomainError('request_invalid', message, [
      { code: 'credentials_not_kept', pointer: '/url', message, hint: 'Ask for the events of a run instead.' },
    ]);
  }
  checkAddress(body.url, '/url', deps);
  const secret = createSecret();
  const webhook = { accountId, url: body.url, events: [...new Set(body.events)] };
  const row = await insertWebhook(deps.database.db, webhook, (id) => seal(keyring, { table: 'webhooks', id }, secret));
  if (row === null) throw new DomainError('webhooks_too_many', tooMany);
  return { row, secret };
}

const bodyBytesMax = 16 * 1024;

export function webhookRoutes(deps: Deps) {
  const { db } = deps.database;
  const router = createRouter();
  router.use('/v1/webhooks', requireKeyToPost, limitBody(bodyBytesMax));
  const notFound = () => new DomainError('not_found', 'There is no webhook of this id that you may see.');
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
