import { generateKeyPairSync, sign } from 'node:crypto';
import { proofTextOf } from '../signing/ed25519.ts';
import type { TestApp } from './index.ts';

/** An Ed25519 key pair that signs as clients do. */
export interface Signer {
  /** SubjectPublicKeyInfo in base64. */
  publicKey: string;
  /** PKCS #8 in PEM. */
  privateKey: string;
  /** The signature of text or bytes, in base64. */
  sign(data: string | Uint8Array): string;
  /** The body that registers the public key with an account. */
  bodyFor(accountId: string): { public_key: string; proof: string };
}

export function createSigner(): Signer {
  const pair = generateKeyPairSync('ed25519');
  const publicKey = pair.publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
  const signer: Signer = {
    publicKey,
    privateKey: pair.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    sign: (data) => sign(null, Buffer.from(data), pair.privateKey).toString('base64'),
    bodyFor: (accountId) => ({ public_key: publicKey, proof: signer.sign(proofTextOf(accountId)) }),
  };
  return signer;
}

/** A signer whose public key an account has registered. */
export interface RegisteredSigner extends Signer {
  id: string;
  /** The query parameters that sign an artifact. */
  parametersOf(artifact: string | Uint8Array): { signing_key: string; signature: string };
}

/** Registers a new signing key with the account of an API key. */
export async function registerSigner(app: Pick<TestApp, 'request'>, key: string): Promise<RegisteredSigner> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const me = (await (await app.request('/v1/me', { headers })).json()) as { account: { id: string } };
  const signer = createSigner();
  const body = JSON.stringify(signer.bodyFor(me.account.id));
  const response = await app.request('/v1/signing-keys', { method: 'POST', headers, body });
  if (response.status !== 201) throw new Error(`POST /v1/signing-keys: ${response.status} ${await response.text()}`);
  const { id } = (await response.json()) as { id: string };
  return {
    ...signer,
    id,
    parametersOf: (artifact) => ({ signing_key: id, signature: signer.sign(artifact) }),
  };
}
