import { createRoute, z } from '@hono/zod-openapi';
import { toPriceFile } from '@inferboard/core/prices/price-list';
import { findPriceList, insertPriceList } from '@inferboard/db/catalogue/price-list';
import type { Transaction } from '@inferboard/db/connection/transaction';
import { auditOf } from '../audit.ts';
import type { Deps } from '../deps.ts';
import { refuse } from '../http/refuse.ts';
import { createRouter } from '../http/router.ts';
import { requireKeyToPut, requireScope } from '../middleware/auth.ts';
import { limitBody } from '../middleware/limit-body.ts';
import { requireMatch } from '../middleware/preconditions.ts';
import { cached } from '../response-cache/cached.ts';
import { json, notJson, readProblems, tooLarge, writeProblems } from '../schemas/common.ts';
import { PriceListSchema, priceListDocument, priceListExample } from './price-list-schema.ts';
import { readPriceBody } from './read-price-body.ts';

const path = '/v1/prices';
const adminPath = '/v1/admin/prices';

const getPrices = createRoute({
  method: 'get',
  path,
  operationId: 'getPrices',
  tags: ['Leaderboard'],
  summary: 'Get the price list in use',
  description: 'US dollars per GPU-hour, by GPU and tier. Costs use this list unless a question states its own prices.',
  request: { query: z.strictObject({}) },
  responses: { 200: json('The price list, with its date and source.', PriceListSchema), ...readProblems },
});

const replacePrices = createRoute({
  method: 'put',
  path: adminPath,
  operationId: 'replacePrices',
  tags: ['Leaderboard'],
  summary: 'Replace the price list',
  description:
    'The new list applies immediately, in all processes. Earlier lists stay stored. With `If-Match` and the ETag of `GET /v1/prices`, the list is replaced only if it has not changed since.',
  security: [{ key: ['admin'] }],
  request: {
    query: z.strictObject({}),
    body: {
      required: true,
      content: { 'application/json': { schema: priceListDocument, examples: { ours: { value: priceListExample } } } },
    },
  },
  responses: { 200: json('The price list in use now.', PriceListSchema), ...writeProblems, ...tooLarge, ...notJson },
});

const removePrices = createRoute({
  method: 'delete',
  path: adminPath,
  operationId: 'removePrices',
  tags: ['Leaderboard'],
  summary: 'Reset the price list to the configured one',
  description: 'The list in the file named by `PRICES`, or else the built-in one.',
  security: [{ key: ['admin'] }],
  request: { query: z.strictObject({}) },
  responses: { 200: json('The price list in use now.', PriceListSchema), ...writeProblems },
});

const bodyBytesMax = 256 * 1024;

async function viewPricesInUse({ prices, database }: Deps) {
  const { list, origin, setAt } = await prices(database.db);
  return { ...toPriceFile(list), origin, set_at: setAt };
}

/** Routes that return the price list in use and let an admin replace it. */
export function priceRoutes(deps: Deps) {
  const { db } = deps.database;
  const router = createRouter();
  router.use(adminPath, requireKeyToPut, limitBody(bodyBytesMax));
  return router
    .openapi(
      cached(deps, getPrices, ['results']),
      async (c) => c.json(await viewPricesInUse(deps), 200),
      refuse(getPrices),
    )
    .openapi(
      replacePrices,
      async (c) => {
        const { accountId } = requireScope(c, 'admin');
        const content = await readPriceBody(deps, c);
        await requireMatch(c, path)();
        const audit = auditOf(c, 'prices_replaced');
        await db.transaction(async (tx: Transaction) => {
          await insertPriceList(tx, { content, accountId });
          await audit(tx, null, { as_of: content.as_of, gpus: Object.keys(content.gpus).length });
        });
        return c.json(await viewPricesInUse(deps), 200);
      },
      refuse(replacePrices),
    )
    .openapi(
      removePrices,
      async (c) => {
        const { accountId } = requireScope(c, 'admin');
        await requireMatch(c, path)();
        const audit = auditOf(c, 'prices_removed');
        await db.transaction(async (tx: Transaction) => {
          if ((await findPriceList(tx)) === null) return;
          await insertPriceList(tx, { content: null, accountId });
          await audit(tx, null);
        });
        return c.json(await viewPricesInUse(deps), 200);
      },
      refuse(removePrices),
    );
}
