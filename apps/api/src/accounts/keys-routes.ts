import { createRoute, z } from '@hono/zod-openapi';
import { DomainError } from '@inferboard/core/errors';
import { NameSchema } from '@inferboard/core/text/text';
import {
  findAccount,
  findKey,
  insertNextKey,
  type KeyRow,
  listKeys,
  liveKeysMax,
  revokeKey,
  scopes,
} from '@inferboard/db/accounts/account';
import { auditOf } from '../audit.ts';
import { fieldsShape } from '../conventions/fields.ts';
import { removeOwned } from '../conventions/remove-owned.ts';
import type { Deps } from '../deps.ts';
import { isId } from '../http/is-id.ts';
import { readJsonBody } from '../http/read-json.ts';
import { refuse } from '../http/refuse.ts';
import { createRouter } from '../http/router.ts';
import { requirePrincipal, requireScope } from '../middleware/auth.ts';
import { limitBody } from '../middleware/limit-body.ts';
import { conflict, json, missing, notJson, readProblems, refusal, tooLarge, writeProblems } from '../schemas/common.ts';
import { createKey, hashKey } from './keys.ts';

const ScopesSchema = z.array(z.enum(scopes));

const KeySchema = z
  .object({
    id: z.string(),
    last_four: z.string().openapi({ description: 'The last characters of the key, to identify it.' }),
    scopes: ScopesSchema,
    name: z.string().nullable().openapi({ description: 'Name given by its account.' }),
    created_at: z.string(),
    expires_at: z.string().nullable().openapi({ description: 'Expiry time. Null: the key does not expire.' }),
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
    .describe('Scopes of the new key: at most those of the key that sends the request. Default: the same.'),
  name: NameSchema.optional().describe('A name, such as the machine that uses it.'),
  expires_in_days: z
    .int('must be a whole number of days')
    .min(1, 'must be at least 1')
    .max(3650, 'must be at most 3650')
    .optional()
    .describe('Days until it expires. Default: the expiry of the key that sends the request, if it has one.'),
});

const CreatedKeySchema = z
  .object({
    id: z.string(),
    key: z.string(),
    scopes: ScopesSchema,
    name: z.string().nullable(),
    expires_at: z.string().nullable(),
  })
  .openapi('CreatedKey');

const listKeysRoute = createRoute({
  method: 'get',
  path: '/v1/keys',
  operationId: 'listKeys',
  tags: ['Accounts'],
  summary: 'List the keys of the account',
  description: 'Newest first, including revoked keys. Only the last characters of each key are known.',
  security: [{ key: [] }],
  request: { query: z.strictObject(fieldsShape(KeySchema, 'id,scopes')) },
  responses: {
    200: json('The list.', z.object({ data: z.array(KeySchema), next_cursor: z.null() })),
    ...readProblems,
  },
});

const listAccountKeysRoute = createRoute({
  method: 'get',
  path: '/v1/accounts/{id}/keys',
  operationId: 'listAccountKeys',
  tags: ['Accounts'],
  summary: 'List the keys of any account',
  description:
    'Newest first, including revoked keys. Only the last characters of each key are known. To close the account, revoke its keys.',
  security: [{ key: ['admin'] }],
  request: {
    params: z.object({
      id: z.string().openapi({ description: 'Id of the account.', example: 'acc_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f' }),
    }),
    query: z.strictObject(fieldsShape(KeySchema, 'id,scopes')),
  },
  responses: { ...listKeysRoute.responses, ...writeProblems, ...missing },
});

const createKeyRoute = createRoute({
  method: 'post',
  path: '/v1/keys',
  operationId: 'createKey',
  tags: ['Accounts'],
  summary: 'Create another key for the account',
  description: `To rotate keys, create a new one, deploy it, then revoke the old one. At most ${liveKeysMax} keys can be active. The key is shown once.`,
  security: [{ key: ['keys'] }],
  request: {
    query: z.strictObject({}),
    body: {
      required: true,
      content: {
        'application/json': {
          schema: z.toJSONSchema(KeyBodySchema, { io: 'input' }) as object,
          example: { scopes: ['submit'], name: 'ci runner', expires_in_days: 90 },
        },
      },
    },
  },
  responses: {
    201: json('Created.', CreatedKeySchema),
    ...writeProblems,
    ...tooLarge,
    ...notJson,
    ...conflict(
      'The account has the maximum number of keys.',
      refusal(
        'keys_too_many',
        `The account has ${liveKeysMax} active keys. Revoke one with DELETE /v1/keys/{id} first.`,
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
  summary: 'Get a key',
  description: "Only your account's keys; admins can read any. The response never has the key itself.",
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
    "Only your account's keys; admins can revoke any. It stops working immediately and permanently. Only an admin key can revoke an admin key.",
  security: [{ key: ['keys'] }],
  request: { params: idParam, query: z.strictObject({}) },
  responses: { 204: { description: 'Revoked.' }, ...writeProblems, ...missing },
});

const instant = (text: string) => new Date(text).toISOString();

function viewKey({ id, lastFour, scopes: allowed, name, createdAt, expiresAt, lastUsedAt, revokedAt }: KeyRow) {
  return {
    id,
    last_four: lastFour,
    scopes: allowed,
    name,
    created_at: instant(createdAt),
    expires_at: expiresAt === null ? null : instant(expiresAt),
    last_used_at: lastUsedAt === null ? null : instant(lastUsedAt),
    revoked_at: revokedAt === null ? null : instant(revokedAt),
  };
}

const dayMs = 86_400_000;

/** When a new key expires: no later than the key that creates it. Null: never. */
function endOf(days: number | undefined, makerEnds: string | null): string | null {
  const asked = days === undefined ? Number.POSITIVE_INFINITY : Date.now() + days * dayMs;
  const latest = makerEnds === null ? Number.POSITIVE_INFINITY : Date.parse(makerEnds);
  const end = Math.min(asked, latest);
  return end === Number.POSITIVE_INFINITY ? null : new Date(end).toISOString();
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
      listAccountKeysRoute,
      async (c) => {
        requireScope(c, 'admin');
        const { id } = c.req.valid('param');
        if (!isId('acc', id) || (await findAccount(db, id)) === null)
          throw new DomainError('not_found', `There is no account "${id.slice(0, 100)}".`);
        return c.json({ data: (await listKeys(db, id)).map(viewKey), next_cursor: null }, 200);
      },
      refuse(listAccountKeysRoute),
    )
    .openapi(
      createKeyRoute,
      async (c) => {
        const { accountId, keyId, scopes: allowed } = requireScope(c, 'keys');
        const { scopes: wanted = allowed, name = null, expires_in_days } = await readJsonBody(c, KeyBodySchema);
        const missing = wanted.filter((scope) => !allowed.includes(scope));
        if (missing.length > 0)
          throw new DomainError('scope_missing', `A key cannot grant scopes that it lacks: ${missing.join(', ')}.`);
        const key = createKey();
        const given = [...new Set(wanted)];
        const audit = auditOf(c, 'key_created');
        const expiresAt = endOf(expires_in_days, (await findKey(db, keyId, null))?.expiresAt ?? null);
        const next = { accountId, hash: hashKey(key), lastFour: key.slice(-4), scopes: given, name, expiresAt };
        const id = await insertNextKey(db, next, (tx, made) => audit(tx, made, { scopes: given }));
        if (id === null)
          throw new DomainError(
            'keys_too_many',
            `The account has ${liveKeysMax} active keys. Revoke one with DELETE /v1/keys/{id} first.`,
          );
        return c.json({ id, key, scopes: given, name, expires_at: expiresAt }, 201);
      },
      refuse(createKeyRoute),
    )
    .openapi(
      getKeyRoute,
      async (c) => {
        const { accountId, scopes: allowed } = requirePrincipal(c);
        const { id } = c.req.valid('param');
        const found = isId('key', id) ? await findKey(db, id, allowed.includes('admin') ? null : accountId) : null;
        if (found === null) throw new DomainError('not_found', 'There is no key with this id, or you may not read it.');
        return c.json(viewKey(found), 200);
      },
      refuse(getKeyRoute),
    )
    .openapi(
      revokeKeyRoute,
      removeOwned(deps, {
        path: '/v1/keys',
        prefix: 'key',
        scope: 'keys',
        act: 'key_revoked',
        notFound: 'There is no key with this id, or you may not revoke it.',
        async remove(tx, id, accountId) {
          const key = accountId === null ? null : await findKey(tx, id, accountId);
          if (key?.scopes.includes('admin'))
            throw new DomainError('scope_missing', 'Only a key with the scope "admin" can revoke this one.');
          return revokeKey(tx, id, accountId);
        },
      }),
      refuse(revokeKeyRoute),
    );
}
