import { createRoute, z } from '@hono/zod-openapi';
import { DomainError } from '@inferboard/core/errors';
import {
  findKey,
  insertNextKey,
  type KeyRow,
  listKeys,
  liveKeysMax,
  revokeKey,
  scopes,
} from '@inferboard/db/queries/account';
import { type Transaction, transact } from '@inferboard/db/transaction';
import { auditOf } from '../audit.ts';
import type { Deps } from '../deps.ts';
import { isId } from '../is-id.ts';
import { createKey, hashKey } from '../keys.ts';
import { reachOf, requirePrincipal, requireScope } from '../middleware/auth.ts';
import { limitBody } from '../middleware/limit-body.ts';
import { requireMatch } from '../middleware/preconditions.ts';
import { readJsonBody } from '../read-json.ts';
import { refuse } from '../refuse.ts';
import { createRouter } from '../router.ts';
import { conflict, missing, notJson, readProblems, refusal, tooLarge, writeProblems } from '../schemas/common.ts';

const ScopesSchema = z.array(z.enum(scopes));

const KeySchema = z
  .object({
    id: z.string(),
    last_four: z.string().openapi({ description: 'The end of the key, to recognise it by.' }),
    scopes: ScopesSchema,
    created_at: z.string(),
    last_used_at: z.string().nullable().openapi({ description: 'To the hour.' }),
    revoked_at: z.string().nullable(),
  })
  .openapi('Key');

const KeyBodySchema = z.strictObject({
  scopes: z
    .array(z.enum(scopes, { error: `must be one of ${scopes.join(', ')}` }))
    .min(1, 'must name at least one scope')
    .max(scopes.length)
    .optional()
    .describe('What the new key may do, at most what the asking key may. Without it: the same.'),
});

const json = <T extends z.ZodType>(description: string, schema: T) => ({
  description,
  content: { 'application/json': { schema } },
});

const listKeysRoute = createRoute({
  method: 'get',
  path: '/v1/keys',
  operationId: 'listKeys',
  tags: ['Accounts'],
  summary: 'The keys of the account, newest first',
  description: 'Revoked ones too. Of a key itself only the end is known.',
  security: [{ key: [] }],
  request: { query: z.strictObject({}) },
  responses: {
    200: json('All of them.', z.object({ data: z.array(KeySchema), next_cursor: z.null() })),
    ...readProblems,
  },
});

const createKeyRoute = createRoute({
  method: 'post',
  path: '/v1/keys',
  operationId: 'createKey',
  tags: ['Accounts'],
  summary: 'Make another key for the account',
  description: `To change keys: make the new one, put it in place, revoke the old one. At most ${liveKeysMax} work at a time. The key is shown once.`,
  security: [{ key: ['keys'] }],
  request: {
    query: z.strictObject({}),
    body: {
      required: true,
      content: {
        'application/json': {
          schema: z.toJSONSchema(KeyBodySchema, { io: 'input' }) as object,
          example: { scopes: ['submit'] },
        },
      },
    },
  },
  responses: {
    201: json('Created.', z.object({ id: z.string(), key: z.string(), scopes: ScopesSchema }).openapi('CreatedKey')),
    ...writeProblems,
    ...tooLarge,
    ...notJson,
    ...conflict(
      'The account has as many keys as it may.',
      refusal(
        'keys_too_many',
        `The account has ${liveKeysMax} keys that work: revoke one with DELETE /v1/keys/{id} first.`,
      ),
    ),
  },
});

const idParam = z.object({
  id: z.string().openapi({ description: 'Id of the key.', example: 'key_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f' }),
});

const getKeyRoute = createRoute({
  method: 'get',
  path: '/v1/keys/{id}',
  operationId: 'getKey',
  tags: ['Accounts'],
  summary: 'One key',
  description: "Of the own account; for admins anybody's. What is known of it, never the key itself.",
  security: [{ key: [] }],
  request: { params: idParam, query: z.strictObject({}) },
  responses: { 200: json('The key.', KeySchema), ...readProblems, ...missing },
});

const revokeKeyRoute = createRoute({
  method: 'delete',
  path: '/v1/keys/{id}',
  operationId: 'revokeKey',
  tags: ['Accounts'],
  summary: 'Revoke a key',
  description:
    "Of the own account; for admins anybody's. It stops working at once, for good. Only an admin key revokes an admin key.",
  security: [{ key: ['keys'] }],
  request: { params: idParam, query: z.strictObject({}) },
  responses: { 204: { description: 'Revoked.' }, ...writeProblems, ...missing },
});

const instant = (text: string) => new Date(text).toISOString();

function viewKey({ id, lastFour, scopes: allowed, createdAt, lastUsedAt, revokedAt }: KeyRow) {
  return {
    id,
    last_four: lastFour,
    scopes: allowed,
    created_at: instant(createdAt),
    last_used_at: lastUsedAt === null ? null : instant(lastUsedAt),
    revoked_at: revokedAt === null ? null : instant(revokedAt),
  };
}

const bodyBytesMax = 16 * 1024;

export function keyRoutes(deps: Deps) {
  const { db } = deps.database;
  const router = createRouter();
  router.use('/v1/keys', limitBody(bodyBytesMax));
  return router
    .openapi(
      listKeysRoute,
      async (c) => {
        const { accountId } = requirePrincipal(c);
        return c.json({ data: (await listKeys(db, accountId)).map(viewKey), next_cursor: null }, 200);
      },
      refuse(listKeysRoute),
    )
    .openapi(
      createKeyRoute,
      async (c) => {
        const { accountId, scopes: allowed } = requireScope(c, 'keys');
        const { scopes: wanted = allowed } = await readJsonBody(c, KeyBodySchema);
        const missing = wanted.filter((scope) => !allowed.includes(scope));
        if (missing.length > 0)
          throw new DomainError(
            'scope_missing',
            `A key gives no more than it has: this one lacks ${missing.join(', ')}.`,
          );
        const key = createKey();
        const given = [...new Set(wanted)];
        const audit = auditOf(c, 'key_created');
        const next = { accountId, hash: hashKey(key), lastFour: key.slice(-4), scopes: given };
        const id = await insertNextKey(db, next, (tx, made) => audit(tx, made, { scopes: given }));
        if (id === null)
          throw new DomainError(
            'keys_too_many',
            `The account has ${liveKeysMax} keys that work: revoke one with DELETE /v1/keys/{id} first.`,
          );
        return c.json({ id, key, scopes: given }, 201);
      },
      refuse(createKeyRoute),
    )
    .openapi(
      getKeyRoute,
      async (c) => {
        const { accountId, scopes: allowed } = requirePrincipal(c);
        const { id } = c.req.valid('param');
        const found = isId('key', id) ? await findKey(db, id, allowed.includes('admin') ? null : accountId) : null;
        if (found === null) throw new DomainError('not_found', 'There is no key of this id that you may see.');
        return c.json(viewKey(found), 200);
      },
      refuse(getKeyRoute),
    )
    .openapi(
      revokeKeyRoute,
      async (c) => {
        const reach = reachOf(c, 'keys');
        const { id } = c.req.valid('param');
        await requireMatch(c, `/v1/keys/${id}`)();
        const audit = auditOf(c, 'key_revoked');
        const revoke = async (tx: Transaction) => {
          const key = reach === null ? null : await findKey(tx, id, reach);
          if (key?.scopes.includes('admin'))
            throw new DomainError('scope_missing', 'Only a key with the scope "admin" can revoke this one.');
          const isRevoked = await revokeKey(tx, id, reach);
          if (isRevoked) await audit(tx, id);
          return isRevoked;
        };
        const isRevoked = isId('key', id) && (await transact(db, revoke));
        if (!isRevoked) throw new DomainError('not_found', 'There is no key of this id that you may revoke.');
        return c.body(null, 204);
      },
      refuse(revokeKeyRoute),
    );
}
