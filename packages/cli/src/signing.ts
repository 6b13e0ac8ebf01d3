import { generateKeyPairSync } from 'node:crypto';
import { type SigningKey, signBytes } from '@inferboard/loadgen/cli/stored-login';
import { Refused, type Service } from './service.ts';
import { exitCodes } from './world.ts';

/** What the client reads of a signing key. */
interface RegisteredKey {
  id: string;
  fingerprint: string;
  revoked_at: string | null;
}

/** The signing key of a login, or why there is none. */
export type Signing = { key: SigningKey; fingerprint: string } | { key: null; reason: string };

async function register(service: Service, accountId: string): Promise<Signing> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  const made = await service.make<RegisteredKey>('/v1/signing-keys', {
    public_key: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    // The service verifies this text. It proves to it that this account has the private key.
    proof: signBytes(pem, new TextEncoder().encode(`Inferboard signing key of ${accountId}`)),
  });
  return { key: { id: made.id, privateKey: pem }, fingerprint: made.fingerprint };
}

/**
 * The signing key of an account on this machine: the stored one if the account still has it, else a new one, whose public key
 * is registered. If the service refuses it, submissions stay unsigned.
 */
export async function chooseSigning(service: Service, accountId: string, stored: SigningKey | null): Promise<Signing> {
  try {
    const { data } = await service.get<{ data: RegisteredKey[] }>('/v1/signing-keys');
    const known = data.find(({ id, revoked_at }) => id === stored?.id && revoked_at === null);
    if (stored !== null && known !== undefined) return { key: stored, fingerprint: known.fingerprint };
    return await register(service, accountId);
  } catch (error) {
    // The API key lacks the scope, the account has too many signing keys, or the service is an earlier release.
    if (!(error instanceof Refused) || error.exitCode !== exitCodes.refused) throw error;
    return { key: null, reason: error.problem.detail };
  }
}
