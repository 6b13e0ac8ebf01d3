import { createRoute, z } from '@hono/zod-openapi';
import { findAccount } from '@inferboard/db/accounts/account';
import type { Deps } from '../deps.ts';
import { refuse } from '../http/refuse.ts';
import { createRouter } from '../http/router.ts';
import { requirePrincipal } from '../middleware/auth.ts';
import { json, readProblems } from '../schemas/common.ts';
import { AccountSchema, viewAccount } from './accounts-routes.ts';

const MeSchema = z
  .object({
    account: AccountSchema,
    key: z.object({ id: z.string(), scopes: z.array(z.string()) }),
  })
  .openapi('Me');

const getMe = createRoute({
  method: 'get',
  path: '/v1/me',
  operationId: 'getMe',
  tags: ['Accounts'],
  summary: 'Get the account and scopes of the key in use',
  description: 'Use it to check a key.',
  security: [{ key: [] }],
  request: { query: z.strictObject({}) },
  responses: {
    200: json('The account and scopes.', MeSchema),
    ...readProblems,
  },
});

export function meRoutes(deps: Deps) {
  return createRouter().openapi(
    getMe,
    async (c) => {
      const { accountId, keyId, scopes } = requirePrincipal(c);
      const account = await findAccount(deps.database.db, accountId);
      if (account === null) throw new Error(`the account ${accountId} of an active key does not exist`);
      return c.json({ account: viewAccount(account), key: { id: keyId, scopes: [...scopes] } }, 200);
    },
    refuse(getMe),
  );
}
