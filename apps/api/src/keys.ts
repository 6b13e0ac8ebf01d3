import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomLength = 30;
const checksumLength = 6;

/** Characters drawn without bias: bytes that would favour some of them are thrown away. */
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

/** A new key: `ib_`, 30 random characters, and a checksum by which scanners and servers know a real one. */
export function createKey(): string {
  const random = randomText(randomLength);
  return `ib_${random}${checksum(random)}`;
}

/**
 * False for text too short or too long to be a key, so that no look-up is needed to refuse it. Nothing more: an operator
 * may fix any text of 24 characters as the admin key, also one that only begins like ours.
 */
export function isPlausibleKey(key: string): boolean {
  return key.length >= 24 && key.length <= 500;
}

export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** Of the key in an `Authorization` header; null where it holds none that could be one. */
export function sentKeyHash(header: string | undefined): string | null {
  const key = /^Bearer +(\S.*)$/i.exec(header ?? '')?.[1];
  return key !== undefined && isPlausibleKey(key) ? hashKey(key) : null;
}
