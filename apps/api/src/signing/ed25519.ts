import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { promisify } from 'node:util';

/** What the SubjectPublicKeyInfo of every Ed25519 key begins with (RFC 8410). The 32 bytes of the key follow. */
const spkiHead = Buffer.from('302a300506032b6570032100', 'hex');
const keyLength = 32;
const signatureLength = 64;

/**
 * Encodings of points of small order, without the sign bit. One signature of such a key is valid for many texts, so it proves
 * nothing.
 */
const weakPoints = new Set([
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
]);

/** Bytes of a length in canonical base64; null for any other text. */
function readBase64(text: string, length: number): Buffer | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === length && bytes.toString('base64') === text ? bytes : null;
}

function isWeak(point: Buffer): boolean {
  const unsigned = Buffer.from(point);
  unsigned[keyLength - 1] = (unsigned[keyLength - 1] ?? 0) & 0x7f;
  return weakPoints.has(unsigned.toString('hex'));
}

/** An Ed25519 public key from its SubjectPublicKeyInfo in base64; null for any other text, and for a weak key. */
export function readPublicKey(text: string): KeyObject | null {
  const spki = readBase64(text, spkiHead.length + keyLength);
  if (spki === null || !spki.subarray(0, spkiHead.length).equals(spkiHead)) return null;
  if (isWeak(spki.subarray(spkiHead.length))) return null;
  return createPublicKey({ key: spki, format: 'der', type: 'spki' });
}

/** A signature from base64; null for any other text. */
export const readSignature = (text: string): Buffer | null => readBase64(text, signatureLength);

const verifyAside = promisify<null, Uint8Array, KeyObject, Uint8Array, boolean>(verify);

/** True if the key signed these bytes. Runs on another thread, because an artifact may have 16 MiB. */
export const isSignatureOf = (bytes: Uint8Array, key: KeyObject, signature: Uint8Array): Promise<boolean> =>
  verifyAside(null, bytes, key, signature);

/** The SHA-256 of a key's SubjectPublicKeyInfo, by which people recognise it. */
export const fingerprintOfKey = (publicKey: string): string =>
  `sha256:${createHash('sha256').update(Buffer.from(publicKey, 'base64')).digest('hex')}`;

/**
 * The text that the owner of a key signs to register it. It names the account, so that no other account can register the key
 * with a public signature.
 */
export const proofTextOf = (accountId: string): string => `Inferboard signing key of ${accountId}`;
