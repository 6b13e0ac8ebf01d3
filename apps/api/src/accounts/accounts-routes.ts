import { createRoute, type RouteHandler, z } from '@hono/zod-openapi';
import { DomainError } from '@inferboard/core/errors';
import { AccountNameSchema } from '@inferboard/core/names/account-name';
import { type AccountRow, findAccount, insertAccount, insertKey, type Scope } from '@inferboard/db/accounts/account';
import { vouchForAccount, withdrawVouch } from '@inferboard/db/accounts/account-standing';
import { listSigningKeys } from '@inferboard/db/accounts/signing-key';
import type { Transaction } from '@inferboard/db/connection/transaction';
import { applyStanding } from '@inferboard/db/points/apply-standing';
import { auditOf } from '../audit.ts';
import type { AppContext, Deps } from '../deps.ts';
import { keyUnlessOpen } from '../document/describe-keys.ts';
import { isId } from '../http/is-id.ts';
import { registrations } from '../http/rate-limits.ts';
import { readJsonBody } from '../http/read-json.ts';
import { refuse } from '../http/refuse.ts';
import { createRouter } from '../http/router.ts';
import { requireKeyToPost, requireScope } from '../middleware/auth.ts';
import { limitBody } from '../middleware/limit-body.ts';
import { limitRate } from '../middleware/limit-rate.ts';
import { requireMatch } from '../middleware/preconditions.ts';
import { cached } from '../response-cache/cached.ts';
import { NoteSchema } from '../reviews/review-schema.ts';
import {
  conflict,
  json,
  missing,
  notJson,
  readProblems,
  refusal,
  tooLarge,
  tooMany,
  writeProblems,
} from '../schemas/common.ts';
import { SigningKeySchema, viewSigningKey } from '../signing/signing-schema.ts';
import { createKey, hashKey } from './keys.ts';

const AccountBodySchema = z.strictObject({ name: AccountNameSchema });

export const AccountSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    standing: z.enum(['vouched', 'established', 'new']).openapi({
      description:
        '`vouched`: an admin created the account or vouched for it. `established`: it registered itself, is old enough, and sent three submissions with ' +
        'records of requests on two days, with no upheld report. `new`: neither; its results are provisional.',
    }),
    created_at: z.string(),
  })
  .openapi('Account');

const createAccount = createRoute({
  method: 'post',
  path: '/v1/accounts',
  operationId: 'createAccount',
  tags: ['Accounts'],
  summary: 'Create an account with its first key',
  description: 'The new key is shown once.',
  security: keyUnlessOpen('admin'),
  // `readJsonBody` reads the body and is stricter than a schema alone. The schema here is for the document.
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
          schema: AccountSchema.extend({
            key: z.object({ id: z.string(), key: z.string(), scopes: z.array(z.string()) }),
          }).openapi('CreatedAccount'),
        },
      },
    },
    ...writeProblems,
    ...conflict(
      'The name is taken, or too similar to a taken name.',
      refusal('account_name_taken', 'The name "lab-42" is taken, or too similar to a taken name. Choose another name.'),
    ),
    ...tooLarge,
    ...notJson,
    ...tooMany,
  },
});

const idParam = z.object({
  id: z.string().openapi({ description: 'Id of the account.', example: 'acc_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f' }),
});

const account = {
  200: json('The updated account.', AccountSchema),
};

/** An account with the keys that it signs artifacts with. */
const AccountAndKeysSchema = AccountSchema.extend({
  signing_keys: z
    .array(SigningKeySchema)
    .openapi({ description: 'Keys that sign its artifacts, newest first, including revoked ones.' }),
}).openapi('AccountAndSigningKeys');

const getAccount = createRoute({
  method: 'get',
  path: '/v1/accounts/{id}',
  operationId: 'getAccount',
  tags: ['Accounts'],
  summary: 'Get an account and its standing',
  description: 'The standing decides whether its results rank or are provisional.',
  request: { params: idParam, query: z.strictObject({}) },
  responses: {
    200: json('The updated account.', AccountAndKeysSchema),
    ...readProblems,
    ...missing,
  },
});

const VouchBodySchema = z.strictObject({
  note: NoteSchema.optional().describe('The reason, for the audit log. Plain text, at most 2000 characters.'),
});

const vouchAccount = createRoute({
  method: 'post',
  path: '/v1/accounts/{id}/vouch',
  operationId: 'vouchAccount',
  tags: ['Accounts'],
  summary: 'Vouch for an account',
  description:
    'Its results rank, even if the account is not established yet: those of up to 20 submissions immediately, the others within seconds.',
  security: [{ key: ['admin'] }],
  request: {
    params: idParam,
    query: z.strictObject({}),
    body: {
      required: false,
      content: {
        'application/json': {
          schema: z.toJSONSchema(VouchBodySchema, { io: 'input' }) as object,
          example: { note: 'They benchmark our cluster.' },
        },
      },
    },
  },
  responses: { ...account, ...writeProblems, ...missing, ...tooLarge, ...notJson },
});

const withdrawAccountVouch = createRoute({
  method: 'delete',
  path: '/v1/accounts/{id}/vouch',
  operationId: 'withdrawAccountVouch',
  tags: ['Accounts'],
  summary: 'Withdraw the vouch for an account',
  description:
    'The account becomes `new`, or `established` if it meets the conditions. If it becomes `new`, its results stop ranking: those of ' +
    'up to 20 submissions immediately, the others within seconds.',
  security: [{ key: ['admin'] }],
  request: { params: idParam, query: z.strictObject({}) },
  responses: { ...account, ...writeProblems, ...missing },
});

const accountBytesMax = 16 * 1024;
const firstScopes: Scope[] = ['submit', 'run', 'keys'];

/** The public view of an account. */
export const viewAccount = ({ id, name, standing, createdAt }: AccountRow) => ({
  ...{ id, name, standing },
  created_at: new Date(createdAt).toISOString(),
});

const notFound = (id: string) => new DomainError('not_found', `There is no account "${id.slice(0, 100)}".`);

export function accountRoutes(deps: Deps) {
  const { db } = deps.database;
  const router = createRouter();
  router.use('/v1/accounts', limitBody(accountBytesMax));
  router.use('/v1/accounts/:id/vouch', requireKeyToPost, limitBody(accountBytesMax));
  const answer: RouteHandler<typeof createAccount, AppContext> = async (c) => {
    const principal = c.get('principal');
    const isByAdmin = principal?.scopes.includes('admin') === true;
    if (deps.registration === 'closed') requireScope(c, 'admin');
    else if (!isByAdmin) await limitRate(deps, c, registrations);
    const { name } = await readJsonBody(c, AccountBodySchema);
    const key = createKey();
    const by = isByAdmin ? { vouchedBy: principal.accountId } : { registeredItself: true };
    const created = await deps.database.db.transaction(async (tx) => {
      const account = await insertAccount(tx, name, by);
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
      throw new DomainError(
        'account_name_taken',
        `The name "${name}" is taken, or too similar to a taken name. Choose another name.`,
      );
    }
    const { account, keyId } = created;
    return c.json({ ...viewAccount(account), key: { id: keyId, key, scopes: firstScopes } }, 201);
  };
  return router
    .openapi(createAccount, answer, refuse(createAccount))
    .openapi(
      cached(deps, getAccount, ['results']),
      async (c) => {
        const { id } = c.req.valid('param');
        const account = isId('acc', id) ? await findAccount(db, id) : null;
        if (account === null) throw notFound(id);
        const signingKeys = await listSigningKeys(db, id);
        return c.json({ ...viewAccount(account), signing_keys: signingKeys.map(viewSigningKey) }, 200);
      },
      refuse(getAccount),
    )
    .openapi(
      vouchAccount,
      async (c) => {
        const { accountId: vouchedBy } = requireScope(c, 'admin');
        const { id } = c.req.valid('param');
        const hasBody = c.req.header('content-type') !== undefined;
        const { note = null } = hasBody ? await readJsonBody(c, VouchBodySchema) : {};
        await requireMatch(c, `/v1/accounts/${id}`)();
        const audit = auditOf(c, 'account_vouched');
        const done = (tx: Transaction) => audit(tx, id, { note });
        const change = { vouchedBy, onChanged: applyStanding, done };
        const account = isId('acc', id) ? await vouchForAccount(db, id, change) : null;
        if (account === null) throw notFound(id);
        return c.json(viewAccount(account), 200);
      },
      refuse(vouchAccount),
    )
    .openapi(
      withdrawAccountVouch,
      async (c) => {
        requireScope(c, 'admin');
        const { id } = c.req.valid('param');
        await requireMatch(c, `/v1/accounts/${id}`)();
        const audit = auditOf(c, 'account_vouch_withdrawn');
        const judging = { now: new Date(), establishedAfterDays: deps.establishedAfterDays };
        const change = { ...judging, onChanged: applyStanding, done: (tx: Transaction) => audit(tx, id) };
        const account = isId('acc', id) ? await withdrawVouch(db, id, change) : null;
        if (account === null) throw notFound(id);
        return c.json(viewAccount(account), 200);
      },
      refuse(withdrawAccountVouch),
    );
}
