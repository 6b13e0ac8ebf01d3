import { createRoute, z } from '@hono/zod-openapi';
import { DomainError } from '@inferboard/core/errors';
import { findDelivery, findWebhook, type LoggedDelivery, pageDeliveries, sendAgain } from '@inferboard/db/runs/webhook';
import { auditOf } from '../audit.ts';
import { fieldsShape } from '../conventions/fields.ts';
import type { Deps } from '../deps.ts';
import { cursorFaults, decodeCursor, readPage } from '../http/cursor.ts';
import { isId } from '../http/is-id.ts';
import { refuse } from '../http/refuse.ts';
import { createRouter } from '../http/router.ts';
import { reachOf } from '../middleware/auth.ts';
import { requireLeft } from '../runs/ask-target.ts';
import { json, limitDefault, missing, pageOf, pageShape, targetLimits, writeProblems } from '../schemas/common.ts';
import { instant } from '../views.ts';
import { LoggedDeliverySchema } from './webhook-schema.ts';
import { hiddenFromOthers, viewDelivery, idParam as webhookParam } from './webhooks-routes.ts';

const tags = ['Managed runs'];
const security = [{ key: ['run'] }];

const listDeliveriesRoute = createRoute({
  method: 'get',
  path: '/v1/webhooks/{id}/deliveries',
  operationId: 'listWebhookDeliveries',
  tags,
  summary: 'List the deliveries to a webhook',
  description: `${hiddenFromOthers} Newest first, with the messages as sent. Finished deliveries are kept for 30 days.`,
  security,
  request: {
    params: webhookParam,
    query: z.strictObject({ ...pageShape, ...fieldsShape(LoggedDeliverySchema, 'id,event,outcome') }),
  },
  responses: { 200: json('A page.', pageOf(LoggedDeliverySchema)), ...writeProblems, ...missing },
});

const redeliverRoute = createRoute({
  method: 'post',
  path: '/v1/deliveries/{id}/redeliver',
  operationId: 'redeliverMessage',
  tags,
  summary: 'Send a message again',
  description:
    `${hiddenFromOthers} It keeps its id, so receivers can recognise a repetition. Its outcome becomes that of the new attempt. ` +
    'A message that waits for a retry is sent now, unless it is sent within a minute anyway. Each attempt counts as a request to a server without proof of control.',
  security,
  request: {
    params: z.object({
      id: z.string().openapi({ description: 'Id of the delivery.', example: 'msg_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f' }),
    }),
    query: z.strictObject({}),
  },
  responses: { 202: json('Queued.', LoggedDeliverySchema), ...writeProblems, ...missing, ...targetLimits },
});

const viewLogged = (row: LoggedDelivery, base: string) => ({
  ...viewDelivery(row),
  webhook_id: row.webhookId,
  next_attempt_at: row.nextAt === null ? null : instant(row.nextAt),
  body: row.body as z.output<typeof LoggedDeliverySchema>['body'],
  links: { redeliver: `${base}/v1/deliveries/${row.id}/redeliver` },
});

/** The id of the last delivery of the previous page. */
const CursorSchema = z.string().max(100);

/** Routes that list webhook deliveries and send them again. */
export function deliveryRoutes(deps: Deps) {
  const { db } = deps.database;
  const find = async (id: string, reach: string | null) => {
    const found = isId('msg', id) ? await findDelivery(db, id, reach) : null;
    if (found === null)
      throw new DomainError('not_found', 'There is no delivery with this id, or you may not read it.');
    return found;
  };
  return createRouter()
    .openapi(
      listDeliveriesRoute,
      async (c) => {
        const reach = reachOf(c, 'run');
        const { id } = c.req.valid('param');
        const { limit = limitDefault } = c.req.valid('query');
        const after = decodeCursor(c.req.url, CursorSchema);
        const webhook = isId('whk', id) ? await findWebhook(db, id, reach) : null;
        if (webhook === null)
          throw new DomainError('not_found', 'There is no webhook with this id, or you may not read it.');
        const read = (most: number) => pageDeliveries(db, id, { limit: most, after });
        const { page, cursor } = await readPage(c.req.url, limit, read, (row) => row.id);
        return c.json({ data: page.map((row) => viewLogged(row, deps.publicUrl)), next_cursor: cursor }, 200);
      },
      refuse(listDeliveriesRoute, async (c) => cursorFaults(c.req.url, CursorSchema)),
    )
    .openapi(
      redeliverRoute,
      async (c) => {
        const reach = reachOf(c, 'run');
        const { id } = c.req.valid('param');
        const { url, delivery } = await find(id, reach);
        await requireLeft(deps, url);
        const audit = auditOf(c, 'webhook_tested');
        await sendAgain(db, id, (tx) => audit(tx, delivery.webhookId, { delivery_id: id }));
        return c.json(viewLogged((await find(id, reach)).delivery, deps.publicUrl), 202);
      },
      refuse(redeliverRoute),
    );
}
