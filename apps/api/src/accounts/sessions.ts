import { createRoute, z } from '@hono/zod-openapi';
import { DomainError } from '@inferboard/core/errors';
import { findKey } from '@inferboard/db/accounts/account';
import { insertSession, removeSession, takeSignInLink } from '@inferboard/db/accounts/session';
import { type Transaction, transact } from '@inferboard/db/connection/transaction';
import type { Context } from 'hono';
import type { AppContext, Deps } from '../deps.ts';
import { keyOrBody } from '../document/describe-keys.ts';
import { readJsonBody } from '../http/read-json.ts';
import { refuse } from '../http/refuse.ts';
import { createRouter } from '../http/router.ts';
import { requirePrincipal } from '../middleware/auth.ts';
import { limitBody } from '../middleware/limit-body.ts';
import { limitAnonymous } from '../middleware/limit-rate.ts';
import { cached } from '../response-cache/cached.ts';
import { json, missing, notJson, readProblems, tooLarge, writeProblems } from '../schemas/common.ts';
import { createToken, hashKey } from './keys.ts';

const LinkBodySchema = z.strictObject({
  link: z
    .string()
    .max(500, 'must have at most 500 characters')
    .optional()
    .describe('The token of a sign-in link, which works once. Without it, the key of the request is used.'),
});

const SessionSchema = z
  .object({
    token: z.string().openapi({ description: 'Send it like a key. It is shown once.' }),
    expires_at: z.string(),
  })
  .openapi('Session');

const createSession = createRoute({
  method: 'post',
  path: '/v1/sessions',
  operationId: 'createSession',
  tags: ['Accounts'],
  summary: 'Start a session',
  description:
    'Requires a key with any scope, or a sign-in link in the body. For browsers. The session has the scopes of the key, ' +
    'expires after 7 days (12 hours with an admin key), and ends immediately when the key is revoked.',
  security: keyOrBody,
  request: {
    query: z.strictObject({}),
    body: {
      required: false,
      content: {
        'application/json': {
          schema: z.toJSONSchema(LinkBodySchema, { io: 'input' }) as object,
          example: { link: 'ibl_3f1c5a0b9d8e7f6a5b4c3d2e1f0a9b8c' },
        },
      },
    },
  },
  responses: { 201: json('Started.', SessionSchema), ...writeProblems, ...missing, ...tooLarge, ...notJson },
});

const endSession = createRoute({
  method: 'delete',
  path: '/v1/sessions/current',
  operationId: 'endSession',
  tags: ['Accounts'],
  summary: 'End the current session',
  description: 'The key that started it stays valid. With a key instead of a session, nothing changes.',
  security: [{ key: [] }],
  request: { query: z.strictObject({}) },
  responses: { 204: { description: 'Ended.' }, ...readProblems },
});

const RegistrationSchema = z
  .object({
    registration: z.enum(['open', 'closed']).openapi({
      description: '`open`: anyone can create an account, and submit without one. `closed`: admins create accounts.',
    }),
  })
  .openapi('Registration');

const getRegistration = createRoute({
  method: 'get',
  path: '/v1/registration',
  operationId: 'getRegistration',
  description: 'Whether anyone can create an account and submit without a key: `REGISTRATION=open`.',
  tags: ['Accounts'],
  summary: 'Get the registration setting',
  request: { query: z.strictObject({}) },
  responses: { 200: json('The registration setting.', RegistrationSchema), ...readProblems },
});

const bodyBytesMax = 16 * 1024;

/** The key with which a request starts a session: the key it sent, or the key of a sign-in link, which is used up. */
async function keyOfRequest(deps: Deps, c: Context<AppContext>, tx: Transaction, link: string | null) {
  if (link === null) {
    const { keyId, scopes, session } = requirePrincipal(c);
    if (session !== undefined)
      throw new DomainError('scope_missing', 'A session cannot start another session. Send a key.');
    return { id: keyId, scopes };
  }
  const id = await takeSignInLink(tx, hashKey(link));
  const key = id === null ? null : await findKey(tx, id, null);
  if (key === null || key.revokedAt !== null) {
    limitAnonymous(deps, c);
    throw new DomainError('not_found', 'The sign-in link was already used or has expired.');
  }
  return key;
}

/** Routes for browser sessions. */
export function sessionRoutes(deps: Deps) {
  const { db } = deps.database;
  const router = createRouter();
  router.use('/v1/sessions', limitBody(bodyBytesMax));
  return router
    .openapi(
      createSession,
      async (c) => {
        const type = c.req.header('content-type');
        // Without a key, only a sign-in link can start a session. Links are sent as JSON.
        if (!type?.startsWith('application/json')) requirePrincipal(c);
        const hasBody = type !== undefined;
        const { link = null } = hasBody ? await readJsonBody(c, LinkBodySchema) : {};
        const token = createToken('ibs');
        const expiresAt = await transact(db, async (tx) => {
          const { id, scopes } = await keyOfRequest(deps, c, tx, link);
          return insertSession(tx, { hash: hashKey(token), keyId: id, isAdmin: scopes.includes('admin') });
        });
        return c.json({ token, expires_at: new Date(expiresAt).toISOString() }, 201);
      },
      refuse(createSession),
    )
    .openapi(
      endSession,
      async (c) => {
        const { session } = requirePrincipal(c);
        if (session !== undefined) await removeSession(db, session);
        return c.body(null, 204);
      },
      refuse(endSession),
    )
    .openapi(
      cached(deps, getRegistration, []),
      async (c) => c.json({ registration: deps.registration }, 200),
      refuse(getRegistration),
    );
}
