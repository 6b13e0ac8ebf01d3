import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSigner } from '../testing/signing.ts';
import { fingerprintOfKey, isSignatureOf, readPublicKey, readSignature } from './ed25519.ts';

const signer = createSigner();

/** Whether the texts of a request are a signature of these bytes. */
async function accepts(bytes: Uint8Array, publicKey: string, signature: string): Promise<boolean> {
  const key = readPublicKey(publicKey);
  const read = readSignature(signature);
  return key !== null && read !== null && isSignatureOf(bytes, key, read);
}

const flip = (bytes: Uint8Array, bit: number): Uint8Array => {
  const changed = Uint8Array.from(bytes);
  const at = bit % (8 * bytes.length);
  changed[at >> 3] = (changed[at >> 3] ?? 0) ^ (1 << (at & 7));
  return changed;
};
const flipBase64 = (text: string, bit: number) =>
  Buffer.from(flip(Buffer.from(text, 'base64'), bit)).toString('base64');

describe('a signature', () => {
  const artifact = fc.uint8Array({ minLength: 1, maxLength: 2000 });

  it('is valid only for the exact bytes: changed, added or removed bytes are rejected', () =>
    fc.assert(
      fc.asyncProperty(artifact, fc.nat(), async (bytes, bit) => {
        const signature = signer.sign(bytes);
        expect(await accepts(bytes, signer.publicKey, signature)).toBe(true);
        expect(await accepts(flip(bytes, bit), signer.publicKey, signature)).toBe(false);
        expect(await accepts(Uint8Array.from([...bytes, 10]), signer.publicKey, signature)).toBe(false);
        expect(await accepts(bytes.subarray(1), signer.publicKey, signature)).toBe(false);
      }),
    ));

  it('with one changed bit or another key is rejected', () =>
    fc.assert(
      fc.asyncProperty(artifact, fc.nat(), async (bytes, bit) => {
        const signature = signer.sign(bytes);
        expect(await accepts(bytes, signer.publicKey, flipBase64(signature, bit))).toBe(false);
        expect(await accepts(bytes, flipBase64(signer.publicKey, bit), signature)).toBe(false);
        expect(await accepts(bytes, createSigner().publicKey, signature)).toBe(false);
      }),
    ));

  it('has one valid encoding: an equal number as its second half is rejected', async () => {
    const bytes = new TextEncoder().encode('once');
    const signature = Buffer.from(signer.sign(bytes), 'base64');
    // Adds the order of the group to S, which a lax verifier accepts.
    let carry = 0n;
    const order = 2n ** 252n + 27742317777372353535851937790883648493n;
    for (let at = 0; at < 32; at += 1) {
      const sum = BigInt(signature[32 + at] ?? 0) + ((order >> BigInt(8 * at)) & 0xffn) + carry;
      signature[32 + at] = Number(sum & 0xffn);
      carry = sum >> 8n;
    }
    expect(carry).toBe(0n);
    expect(await accepts(bytes, signer.publicKey, signature.toString('base64'))).toBe(false);
  });
});

describe('invalid keys and signatures', () => {
  const signature = signer.sign('x');

  it.each([
    '',
    'x',
    signature.slice(0, -1),
    `${signature} `,
    `${signature}\n`,
    signature.replace(/==$/, ''),
    signature.replaceAll('=', ''),
    Buffer.from(signature, 'base64').toString('hex'),
    Buffer.alloc(63).toString('base64'),
    Buffer.alloc(65).toString('base64'),
    // The last character has bits that base64 does not use.
    `${'A'.repeat(85)}B==`,
  ])('%j is not a signature', (text) => {
    expect(readSignature(text)).toBeNull();
  });

  const rsa = 'MFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBAL7pxwDl8Zp0';
  it.each([
    '',
    rsa,
    signature,
    signer.publicKey.slice(0, -2),
    ` ${signer.publicKey}`,
    `-----BEGIN PUBLIC KEY-----\n${signer.publicKey}\n-----END PUBLIC KEY-----`,
    // X25519 and Ed448, which have other object identifiers.
    signer.publicKey.replace(/^MCowBQYDK2Vw/, 'MCowBQYDK2Vu'),
    signer.publicKey.replace(/^MCowBQYDK2Vw/, 'MCowBQYDK2Vx'),
  ])('%j is not a public key', (text) => {
    expect(readPublicKey(text)).toBeNull();
  });

  // A signature of such a key is valid for texts that its owner never saw.
  it.each([
    ['the identity element', `01${'00'.repeat(31)}`],
    ['the identity element with a sign bit', `01${'00'.repeat(30)}80`],
    ['order 2', `ec${'ff'.repeat(30)}7f`],
    ['order 4', '00'.repeat(32)],
    ['order 8', '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05'],
    ['order 8, another point', 'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a'],
    ['an unreduced encoding', `ee${'ff'.repeat(30)}7f`],
  ])('a point of small order is not a public key: %s', (_, point) => {
    const text = Buffer.from(`302a300506032b6570032100${point}`, 'hex').toString('base64');
    expect(readPublicKey(text)).toBeNull();
  });
});

it('a fingerprint is the SHA-256 of the decoded public key', () => {
  expect(fingerprintOfKey('MCowBQYDK2VwAyEAPUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=')).toMatch(
    /^sha256:[0-9a-f]{64}$/,
  );
  expect(fingerprintOfKey(signer.publicKey)).not.toBe(fingerprintOfKey(createSigner().publicKey));
});
