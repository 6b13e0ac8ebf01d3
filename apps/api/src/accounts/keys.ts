import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomLength = 30;
const checksumLength = 6;

/** Random characters without modulo bias: bytes that would favour some characters are discarded. */
function randomText(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 4 * alphabet.length && text.length < length) text += alphabet[byte % alphabet.length];
    }
  }
  return text;
}

function checksum(text: string): string {
  let rest = crc32(text) >>> 0;
  let digits = '';
  for (let i = 0; i < checksumLength; i += 1) {
    digits = alphabet[rest % alphabet.length] + digits;
    rest = Math.floor(rest / alphabet.length);
  }
  return digits;
}

/** A new key: `ib_`, 30 random characters, and a checksum with which scanners and servers recognize a real key. */
export const createKey = (): string => createToken('ib');

/**
 * The prefix of a token: `ib`, an API key; `ibs`, a browser session; `ibl`, a one-time sign-in link; `ibc`, a link that claims a
 * submission.
 */
export type TokenPrefix = 'ib' | 'ibs' | 'ibl' | 'ibc';

/** A new secret in the format of a key. */
export function createToken(prefix: TokenPrefix): string {
  const random = randomText(randomLength);
  return `${prefix}_${random}${checksum(random)}`;
}

/** Whether an `Authorization` header holds the token of a session. */
export const isSessionSent = (header: string): boolean => /^Bearer +ibs_/i.test(header);

/**
 * False for text that is too short or too long to be a key, which is rejected without a database query. The check covers length
 * only: an operator may set any text of 24 characters as the admin key, even one that starts like a generated key.
 */
export function isPlausibleKey(key: string): boolean {
  return key.length >= 24 && key.length <= 500;
}

export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** The hash of the key in an `Authorization` header; null if the header holds no plausible key. */
export function sentKeyHash(header: string | undefined): string | null {
  const key = /^Bearer +(\S.*)$/i.exec(header ?? '')?.[1];
  return key !== undefined && isPlausibleKey(key) ? hashKey(key) : null;
}
