import { createRoute, z } from '@hono/zod-openapi';
import { DomainError } from '@inferboard/core/errors';
import {
  addSigningKey,
  listSigningKeys,
  liveSigningKeysMax,
  revokeSigningKey,
} from '@inferboard/db/accounts/signing-key';
import { auditOf } from '../audit.ts';
import { fieldsShape } from '../conventions/fields.ts';
import { removeOwned } from '../conventions/remove-owned.ts';
import type { Deps } from '../deps.ts';
import { readJsonBody } from '../http/read-json.ts';
import { refuse } from '../http/refuse.ts';
import { createRouter } from '../http/router.ts';
import { requirePrincipal, requireScope } from '../middleware/auth.ts';
import { limitBody } from '../middleware/limit-body.ts';
import { conflict, json, missing, notJson, readProblems, refusal, tooLarge, writeProblems } from '../schemas/common.ts';
import { isSignatureOf, proofTextOf, readPublicKey, readSignature } from './ed25519.ts';
import { SigningKeySchema, viewSigningKey } from './signing-schema.ts';

const BodySchema = z.strictObject({
  public_key: z
    .string()
    .max(200, 'must have at most 200 characters')
    .describe('The Ed25519 public key: its SubjectPublicKeyInfo in base64, the text of a PEM file.'),
  proof: z
    .string()
    .max(200, 'must have at most 200 characters')
    .describe(
      'Proves that you have the private key: its signature of the text `Inferboard signing key of ACCOUNT_ID`, in base64.',
    ),
});

const tooMany = `The account has ${liveSigningKeysMax} signing keys: revoke one with DELETE /v1/signing-keys/{id} first.`;
const revokedBefore = 'The account revoked this signing key. Generate a new one.';

const listRoute = createRoute({
  method: 'get',
  path: '/v1/signing-keys',
  operationId: 'listSigningKeys',
  tags: ['Accounts'],
  summary: 'List the signing keys of the account',
  description: 'Newest first, including revoked ones. `GET /v1/accounts/{id}` lists those of any account.',
  security: [{ key: [] }],
  request: { query: z.strictObject(fieldsShape(SigningKeySchema, 'id,fingerprint')) },
  responses: {
    200: json('The list.', z.object({ data: z.array(SigningKeySchema), next_cursor: z.null() })),
    ...readProblems,
  },
});

const createKeyRoute = createRoute({
  method: 'post',
  path: '/v1/signing-keys',
  operationId: 'createSigningKey',
  tags: ['Accounts'],
  summary: 'Register the public key of a signing key',
  description:
    'Submissions that it signs are shown as signed by this account. The private key stays with you. ' +
    `An account has at most ${liveSigningKeysMax} unrevoked keys. A key that the account already has is returned with status 200.`,
  security: [{ key: ['keys'] }],
  request: {
    query: z.strictObject({}),
    body: {
      required: true,
      content: {
        'application/json': {
          schema: z.toJSONSchema(BodySchema, { io: 'input' }) as object,
          example: {
            public_key: 'MCowBQYDK2VwAyEAPUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=',
            proof: 'kqAJqfDUyrhyDoILX2QlQKKyeljlzrs8OyhL9tGF3d0b3nkZ0u4LE3zHcOwyW0wFqC0oW8bTmvQ1hqTQ8nWrDA==',
          },
        },
      },
    },
  },
  responses: {
    201: json('Registered.', SigningKeySchema),
    200: json('The account already has this key.', SigningKeySchema),
    ...writeProblems,
    ...tooLarge,
    ...notJson,
    ...conflict(
      'The account has the maximum number of signing keys, or it revoked this one.',
      refusal('signing_keys_too_many', tooMany),
    ),
  },
});

const idParam = z.object({
  id: z.string().openapi({ description: 'Id of the signing key.', example: 'sgk_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f' }),
});

const revokeRoute = createRoute({
  method: 'delete',
  path: '/v1/signing-keys/{id}',
  operationId: 'revokeSigningKey',
  tags: ['Accounts'],
  summary: 'Revoke a signing key',
  description:
    'A key of your account; admins can revoke any key. A revoked key cannot sign again. Earlier signatures stay valid and show the time of the revocation.',
  security: [{ key: ['keys'] }],
  request: { params: idParam, query: z.strictObject({}) },
  responses: { 204: { description: 'Revoked.' }, ...writeProblems, ...missing },
});

/**
 * Checks the public key and the proof that the account has its private key.
 *
 * @throws DomainError `signature_invalid`
 */
async function checkProof(accountId: string, { public_key, proof }: z.output<typeof BodySchema>): Promise<void> {
  const fault = (code: string, pointer: string, message: string, hint: string) =>
    new DomainError('signature_invalid', message, [{ code, pointer, message, hint }]);
  const key = readPublicKey(public_key);
  if (key === null)
    throw fault(
      'public_key_malformed',
      '/public_key',
      'public_key is not a usable Ed25519 public key.',
      'Send the output of: openssl pkey -in key.pem -pubout -outform DER | openssl base64 -A',
    );
  const signature = readSignature(proof);
  const text = proofTextOf(accountId);
  if (signature === null || !(await isSignatureOf(new TextEncoder().encode(text), key, signature)))
    throw fault(
      'proof_wrong',
      '/proof',
      `proof is not a signature of the text "${text}" by this key.`,
      'Sign exactly this text, without a line break at its end, with the private key. Send the 64 bytes in base64.',
    );
}

const bodyBytesMax = 16 * 1024;

/** Routes of the keys with which accounts sign artifacts. */
export function signingKeyRoutes(deps: Deps) {
  const { db } = deps.database;
  const router = createRouter();
  router.use('/v1/signing-keys', limitBody(bodyBytesMax));
  return router
    .openapi(
      listRoute,
      async (c) => {
        const { accountId } = requirePrincipal(c);
        return c.json({ data: (await listSigningKeys(db, accountId)).map(viewSigningKey), next_cursor: null }, 200);
      },
      refuse(listRoute),
    )
    .openapi(
      createKeyRoute,
      async (c) => {
        const { accountId } = requireScope(c, 'keys');
        const body = await readJsonBody(c, BodySchema);
        await checkProof(accountId, body);
        const audit = auditOf(c, 'signing_key_added');
        const added = await addSigningKey(db, { accountId, publicKey: body.public_key }, audit);
        if (added === null) throw new DomainError('signing_keys_too_many', tooMany);
        if (added.key.revokedAt !== null) throw new DomainError('signing_key_revoked', revokedBefore);
        return c.json(viewSigningKey(added.key), added.isNew ? 201 : 200);
      },
      refuse(createKeyRoute),
    )
    .openapi(
      revokeRoute,
      removeOwned(deps, {
        path: '/v1/signing-keys',
        prefix: 'sgk',
        scope: 'keys',
        act: 'signing_key_revoked',
        notFound: 'There is no signing key with this id, or you may not revoke it.',
        remove: revokeSigningKey,
      }),
      refuse(revokeRoute),
    );
}
