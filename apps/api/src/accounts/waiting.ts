import { createRoute, z } from '@hono/zod-openapi';
import { listNewAccounts } from '@inferboard/db/accounts/account';
import { listUnprovenEndpoints } from '@inferboard/db/runs/endpoint';
import type { Deps } from '../deps.ts';
import { refuse } from '../http/refuse.ts';
import { createRouter } from '../http/router.ts';
import { requireScope } from '../middleware/auth.ts';
import { json, writeProblems } from '../schemas/common.ts';
import { AccountSchema, viewAccount } from './accounts-routes.ts';

/** Maximum number of entries in a response; the newest are listed. */
const shownMax = 100;

const WaitingAccountsSchema = z
  .object({
    data: z.array(
      AccountSchema.extend({
        submissions: z.number().int().openapi({ description: 'Submissions of the account, of any status.' }),
      }).openapi('WaitingAccount'),
    ),
  })
  .openapi('WaitingAccounts');

const WaitingEndpointsSchema = z
  .object({
    data: z.array(
      z
        .object({
          id: z.string(),
          name: z.string(),
          base_url: z.string(),
          model: z.string(),
          account: z.string().openapi({ description: 'Id of the account that registered it.' }),
          created_at: z.string(),
        })
        .openapi('WaitingEndpoint'),
    ),
  })
  .openapi('WaitingEndpoints');

const listWaitingAccounts = createRoute({
  method: 'get',
  path: '/v1/admin/accounts',
  operationId: 'listWaitingAccounts',
  tags: ['Accounts'],
  summary: 'List accounts without a vouch',
  description: `Accounts with the standing \`new\`, newest first, at most ${shownMax}. \`POST /v1/accounts/{id}/vouch\` vouches for one.`,
  security: [{ key: ['admin'] }],
  request: { query: z.strictObject({}) },
  responses: { 200: json('The accounts.', WaitingAccountsSchema), ...writeProblems },
});

const listWaitingEndpoints = createRoute({
  method: 'get',
  path: '/v1/admin/endpoints',
  operationId: 'listWaitingEndpoints',
  tags: ['Managed runs'],
  summary: 'List endpoints without proof of control',
  description: `Endpoints of all accounts, newest first, at most ${shownMax}. \`POST /v1/endpoints/{id}/approve\` approves one.`,
  security: [{ key: ['admin'] }],
  request: { query: z.strictObject({}) },
  responses: { 200: json('The endpoints.', WaitingEndpointsSchema), ...writeProblems },
});

/**
 * Routes that list new accounts and unproven endpoints, which wait for an admin. Held results and concerns have separate routes.
 */
export function waitingRoutes(deps: Deps) {
  const { db } = deps.database;
  return createRouter()
    .openapi(
      listWaitingAccounts,
      async (c) => {
        requireScope(c, 'admin');
        const rows = await listNewAccounts(db, shownMax);
        return c.json({ data: rows.map((row) => ({ ...viewAccount(row), submissions: row.submissions })) }, 200);
      },
      refuse(listWaitingAccounts),
    )
    .openapi(
      listWaitingEndpoints,
      async (c) => {
        requireScope(c, 'admin');
        const rows = await listUnprovenEndpoints(db, shownMax);
        const data = rows.map(({ id, name, baseUrl, model, accountId, createdAt }) => ({
          ...{ id, name, base_url: baseUrl, model, account: accountId },
          created_at: new Date(createdAt).toISOString(),
        }));
        return c.json({ data }, 200);
      },
      refuse(listWaitingEndpoints),
    );
}
