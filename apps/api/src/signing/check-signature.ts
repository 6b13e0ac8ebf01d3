import { DomainError } from '@inferboard/core/errors';
import type { Principal } from '@inferboard/db/accounts/account';
import { findSigningKey, type NewSignature } from '@inferboard/db/accounts/signing-key';
import type { Queryable } from '@inferboard/db/connection/transaction';
import { isId } from '../http/is-id.ts';
import { isSignatureOf, readPublicKey, readSignature } from './ed25519.ts';

/** The signature parameters of a request, as text. */
export interface SentSignature {
  signingKey?: string | undefined;
  signature?: string | undefined;
}

const refused = (code: string, parameter: keyof typeof parameters, message: string, hint: string) =>
  new DomainError('signature_invalid', message, [{ code, parameter: parameters[parameter], message, hint }]);
const parameters = { key: 'signing_key', signature: 'signature' } as const;

/** How to get a key that the service knows. */
const useLogin = 'Run inferboard login, which registers a key. To submit without a signature, omit both parameters.';

/**
 * Verifies the signature of an artifact's exact bytes by an unrevoked key of the account. Null if the request has none.
 *
 * @throws DomainError `signature_invalid`
 */
export async function checkSignature(
  db: Queryable,
  { accountId, keyId }: Pick<Principal, 'accountId' | 'keyId'>,
  { signingKey, signature }: SentSignature,
  bytes: Uint8Array,
): Promise<NewSignature | null> {
  if (signingKey === undefined && signature === undefined) return null;
  if (signingKey === undefined || signature === undefined) {
    const absent = signingKey === undefined ? 'key' : 'signature';
    const message = `A signature needs both signing_key and signature. ${parameters[absent]} is missing.`;
    throw refused('signature_incomplete', absent, message, 'Send both parameters, or neither.');
  }
  if (keyId === '')
    throw refused(
      'signature_without_account',
      'key',
      'A signing key belongs to an account, and this request has no API key.',
      'Send the header "Authorization: Bearer ib_...", or omit signing_key and signature.',
    );
  const read = readSignature(signature);
  if (read === null)
    throw refused(
      'signature_malformed',
      'signature',
      'signature is not an Ed25519 signature: it must be 64 bytes in base64, which are 88 characters.',
      'Send standard base64, percent-encoded in a query: "+" is %2B.',
    );
  const key = isId('sgk', signingKey) ? await findSigningKey(db, signingKey, accountId) : null;
  if (key === null)
    throw refused(
      'signing_key_unknown',
      'key',
      'Your account has no signing key with this id. GET /v1/signing-keys lists its keys.',
      useLogin,
    );
  if (key.revokedAt !== null)
    throw refused('signing_key_revoked', 'key', 'This signing key is revoked and can no longer sign.', useLogin);
  const publicKey = readPublicKey(key.publicKey);
  if (publicKey === null || !(await isSignatureOf(bytes, publicKey, read)))
    throw refused(
      'signature_wrong',
      'signature',
      'The signature does not match these bytes and this key. The artifact was changed after it was signed, or another key signed it.',
      'Sign the exact bytes that you send, compressed if you compress them, with the private key of signing_key.',
    );
  return { signingKey, signature };
}
