import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { DomainError } from '@inferboard/core/errors';
import type { RequestName } from '@inferboard/db/service/idempotency';
import { type Keyring, open, seal } from '@inferboard/outbound/sealed-secrets';
import type { Deps } from '../deps.ts';

const [pack, unpack] = [promisify(gzip), promisify(gunzip)];

interface Kept {
  keyId: string;
  /** Base64. */
  box: string;
}

const placeOf = ({ keyId, route, name }: RequestName) => ({
  table: 'idempotency_keys',
  id: JSON.stringify([keyId, route, name]),
});

/** The stored form of a body. It is encrypted, because some responses contain a secret that is stored nowhere else. */
export function sealBody(keyring: Keyring, request: RequestName, body: string): Promise<Uint8Array> {
  const { keyId, box } = seal(keyring, placeOf(request), body);
  return pack(JSON.stringify({ keyId, box: Buffer.from(box).toString('base64') } satisfies Kept));
}

/** The body that was stored for a request. */
export async function openBody(keyring: Keyring, request: RequestName, stored: Uint8Array): Promise<string> {
  const { keyId, box } = JSON.parse((await unpack(stored)).toString('utf8')) as Kept;
  return open(keyring, placeOf(request), { keyId, box: Buffer.from(box, 'base64') });
}

/**
 * The keys that responses are sealed with.
 *
 * @throws DomainError `request_invalid` if the service has none
 */
export function keyringOf({ keyring }: Pick<Deps, 'keyring'>): Keyring {
  if (keyring !== null) return keyring;
  const message = 'Idempotency-Key is not available for this operation: the operator has not set SECRET_KEY.';
  throw new DomainError('request_invalid', message, [
    { code: 'credentials_not_kept', parameter: 'Idempotency-Key', message, hint: 'Omit the header.' },
  ]);
}
