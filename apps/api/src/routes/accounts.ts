import { createRoute, type RouteHandler, z } from '@hono/zod-openapi';
import { DomainError } from '@inferboard/core/errors';
import { NameSchema } from '@inferboard/core/text';
import { insertAccount, insertKey, type Scope } from '@inferboard/db/queries/account';
import { auditOf } from '../audit.ts';
import type { AppContext, Deps } from '../deps.ts';
import { createKey, hashKey } from '../keys.ts';
import { requireScope } from '../middleware/auth.ts';
import { limitBody } from '../middleware/limit-body.ts';
import { limitRate } from '../middleware/limit-rate.ts';
import { registrations } from '../rate-limits.ts';
import { readJsonBody } from '../read-json.ts';
import { refuse } from '../refuse.ts';
import { createRouter } from '../router.ts';
import { conflict, notJson, refusal, tooLarge, tooMany, writeProblems } from '../schemas/common.ts';

const AccountBodySchema = z.strictObject({ name: NameSchema });

const createAccount = createRoute({
  method: 'post',
  path: '/v1/accounts',
  operationId: 'createAccount',
  tags: ['Accounts'],
  summary: 'Create an account with its first key',
  description: 'Where the operator opened registration, everyone may, without a key. The new key is shown once.',
  security: [{ key: ['admin'] }],
  // Read by `readJsonBody`, which is stricter than a schema alone; the document still says what the body is.
  request: {
    query: z.strictObject({}),
    body: {
      required: true,
      content: {
        'application/json': {
          schema: z.toJSONSchema(AccountBodySchema, { io: 'input' }) as object,
          example: { name: 'lab-42' },
        },
      },
    },
  },
  responses: {
    201: {
      description: 'Created.',
      content: {
        'application/json': {
          schema: z
            .object({
              id: z.string(),
              name: z.string(),
              created_at: z.string(),
              key: z.object({ id: z.string(), key: z.string(), scopes: z.array(z.string()) }),
            })
            .openapi('Account'),
        },
      },
    },
    ...writeProblems,
    ...conflict('The name is taken.', refusal('account_name_taken', 'The name "lab-42" is taken.')),
    ...tooLarge,
    ...notJson,
    ...tooMany,
  },
});

const accountBytesMax = 16 * 1024;
const firstScopes: Scope[] = ['submit', 'run', 'keys'];

export function accountRoutes(deps: Deps) {
  const router = createRouter();
  router.use('/v1/accounts', limitBody(accountBytesMax));
  const answer: RouteHandler<typeof createAccount, AppContext> = async (c) => {
    const isByAdmin = c.get('principal')?.scopes.includes('admin') === true;
    if (deps.registration === 'closed') requireScope(c, 'admin');
    else if (!isByAdmin) await limitRate(deps, c, registrations);
    const { name } = await readJsonBody(c, AccountBodySchema);
    const key = createKey();
    const created = await deps.database.db.transaction(async (tx) => {
      const account = await insertAccount(tx, name, !isByAdmin);
      if (account === null) return null;
      const keyId = await insertKey(tx, {
        accountId: account.id,
        hash: hashKey(key),
        lastFour: key.slice(-4),
        scopes: firstScopes,
      });
      await auditOf(c, 'account_created')(tx, account.id, { key: keyId, scopes: firstScopes });
      return { account, keyId };
    });
    if (created === null || created.keyId === null) {
      throw new DomainError('account_name_taken', `The name "${name}" is taken.`);
    }
    const { account, keyId } = created;
    const created_at = new Date(account.createdAt).toISOString();
    return c.json(
      { id: account.id, name: account.name, created_at, key: { id: keyId, key, scopes: firstScopes } },
      201,
    );
  };
  return router.openapi(createAccount, answer, refuse(createAccount));
}
