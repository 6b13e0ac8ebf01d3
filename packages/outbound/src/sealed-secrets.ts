import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes, scrypt } from 'node:crypto';

/**
 * - `master_key_short`: too short to be a key
 * - `key_unknown`: sealed under a key that is not in the ring
 * - `seal_broken`: modified, or copied from another row
 */
export type SealErrorCode = 'master_key_short' | 'key_unknown' | 'seal_broken';

/** The message states how to fix it; never contains a key or a secret. */
export class SealError extends Error {
  override readonly name = 'SealError';
  readonly code: SealErrorCode;

  constructor(code: SealErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** The row that a secret belongs to. A seal opens only for its row. */
export interface Place {
  readonly table: string;
  readonly id: string;
}

/** The values of two columns. */
export interface Sealed {
  readonly keyId: string;
  /** Nonce, ciphertext and tag, concatenated. */
  readonly box: Uint8Array;
}

interface RingKey {
  readonly id: string;
  readonly key: KeyObject;
}

/** The key for sealing, and earlier keys for opening. */
export interface Keyring {
  readonly current: RingKey;
  readonly all: ReadonlyMap<string, RingKey>;
}

const masterKeyLengthMin = 16;
const nonceBytes = 12;
const tagBytes = 16;
const label = 'inferboard sealed secrets 1';

/**
 * Uses scrypt instead of HKDF, because the setting is user-chosen text of at least sixteen characters, and an attacker with a
 * copy of the database can try guesses offline. Runs once per start. The salt is fixed, because every process must derive the
 * same key from the setting alone.
 */
async function deriveKey(masterKey: string): Promise<RingKey> {
  if (masterKey.length < masterKeyLengthMin) {
    const message = `The master key has fewer than ${masterKeyLengthMin} characters: set SECRET_KEY to a longer one.`;
    throw new SealError('master_key_short', message);
  }
  const derived = Promise.withResolvers<Buffer>();
  scrypt(masterKey, label, 40, { N: 32_768, r: 8, p: 1, maxmem: 67_108_864 }, (error, bytes) => {
    if (error === null) derived.resolve(bytes);
    else derived.reject(error);
  });
  const bytes = await derived.promise;
  const ring = { id: `key_${bytes.toString('hex', 32)}`, key: createSecretKey(bytes.subarray(0, 32)) };
  bytes.fill(0);
  return ring;
}

/**
 * Creates the ring from the operator's master key and the earlier ones, which are needed until everything sealed under them is
 * resealed. A key's id is derived from its text, so it always matches.
 *
 * @throws SealError `master_key_short`
 */
export async function createKeyring(masterKey: string, earlier: readonly string[] = []): Promise<Keyring> {
  const [current, ...others] = await Promise.all([deriveKey(masterKey), ...earlier.map(deriveKey)]);
  return { current, all: new Map([...others, current].map((key) => [key.id, key])) };
}

/** JSON, which is unambiguous between places. */
const contextOf = ({ table, id }: Place, keyId: string): Buffer =>
  Buffer.from(JSON.stringify([label, table, id, keyId]));

/** Seals a secret for one row. Repeated seals of a secret differ. */
export function seal({ current }: Keyring, place: Place, secret: string): Sealed {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', current.key, nonce, { authTagLength: tagBytes });
  cipher.setAAD(contextOf(place, current.id));
  const ciphertext = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return { keyId: current.id, box: Buffer.concat([nonce, ciphertext, cipher.getAuthTag()]) };
}

/**
 * Opens a seal of this row.
 *
 * @throws SealError `key_unknown` or `seal_broken`
 */
export function open(keyring: Keyring, place: Place, { keyId, box }: Sealed): string {
  const ringKey = keyring.all.get(keyId);
  if (ringKey === undefined) {
    const message = `Encrypted with another master key (${keyId}): set SECRET_KEY to that key, or enter the credential again.`;
    throw new SealError('key_unknown', message);
  }
  try {
    const tagAt = box.byteLength - tagBytes;
    const nonce = box.subarray(0, nonceBytes);
    const decipher = createDecipheriv('aes-256-gcm', ringKey.key, nonce, { authTagLength: tagBytes });
    decipher.setAAD(contextOf(place, keyId));
    decipher.setAuthTag(box.subarray(tagAt));
    return Buffer.concat([decipher.update(box.subarray(nonceBytes, tagAt)), decipher.final()]).toString('utf8');
  } catch {
    const message = 'The stored credential was altered or belongs to another row: enter it again.';
    throw new SealError('seal_broken', message);
  }
}

/**
 * Reseals a secret under the current key. Returns it unchanged if that key sealed it.
 *
 * @throws SealError `key_unknown` or `seal_broken`
 */
export function reseal(keyring: Keyring, place: Place, sealed: Sealed): Sealed {
  const secret = open(keyring, place, sealed);
  return sealed.keyId === keyring.current.id ? sealed : seal(keyring, place, secret);
}
