import { z } from '@hono/zod-openapi';
import type { SigningKeyRow } from '@inferboard/db/accounts/signing-key';
import type { SignedRow } from '@inferboard/db/boards/lists/row-types';
import { instant } from '../views.ts';
import { fingerprintOfKey } from './ed25519.ts';

const instantOrNull = (text: string | null) => (text === null ? null : instant(text));

const publicKey = z
  .string()
  .describe('The Ed25519 public key: its SubjectPublicKeyInfo (RFC 8410) in base64, the text of a PEM file.');
const fingerprint = z.string().describe('SHA-256 of the decoded public key.');

/** Query parameters or form fields that sign an artifact. */
export const signatureShape = {
  signing_key: z.string().max(60, 'must have at most 60 characters').optional().openapi({
    description: 'Id of the signing key of your account that made `signature`.',
    example: 'sgk_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f',
  }),
  signature: z
    .string()
    .max(200, 'must have at most 200 characters')
    .optional()
    .openapi({
      description:
        "Ed25519 signature of the artifact's exact bytes, in base64. It is verified before anything is stored. " +
        'A submission with an invalid signature is rejected.',
      example: 'kqAJqfDUyrhyDoILX2QlQKKyeljlzrs8OyhL9tGF3d0b3nkZ0u4LE3zHcOwyW0wFqC0oW8bTmvQ1hqTQ8nWrDA==',
    }),
};

/** The response field `signed`. */
export const SignedSchema = z
  .object({
    key_id: z.string(),
    public_key: publicKey,
    fingerprint,
    signature: z.string().describe('Ed25519 signature of the exact bytes of the artifact, in base64.'),
    verified_at: z.string(),
    key_revoked_at: z
      .string()
      .nullable()
      .describe('When the account revoked the key. The signature was verified before that.'),
  })
  .openapi('Signed');

export const SigningKeySchema = z
  .object({
    id: z.string(),
    public_key: publicKey,
    fingerprint,
    created_at: z.string(),
    last_used_at: z.string().nullable().describe('When a signature by it was last accepted.'),
    revoked_at: z.string().nullable(),
  })
  .openapi('SigningKey');

/** The response view of a verified signature. */
export const viewSigned = (row: SignedRow | null) =>
  row && {
    key_id: row.key_id,
    public_key: row.public_key,
    fingerprint: fingerprintOfKey(row.public_key),
    signature: row.signature,
    verified_at: instant(row.verified_at),
    key_revoked_at: instantOrNull(row.key_revoked_at),
  };

/** The response view of a signing key. */
export const viewSigningKey = ({ id, publicKey: key, createdAt, lastUsedAt, revokedAt }: SigningKeyRow) => ({
  id,
  public_key: key,
  fingerprint: fingerprintOfKey(key),
  created_at: instant(createdAt),
  last_used_at: instantOrNull(lastUsedAt),
  revoked_at: instantOrNull(revokedAt),
});
