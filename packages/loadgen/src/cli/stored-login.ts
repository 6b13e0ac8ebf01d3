import { createPrivateKey, sign } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { commandWords } from '../view/command-words.ts';

/** The key with which a user signs artifacts. */
export interface SigningKey {
  /** Its id at the service. */
  id: string;
  /** The Ed25519 private key in PEM. */
  privateKey: string;
}

/** What `inferboard login` stores for the user. */
export interface StoredLogin {
  url: string;
  /** The API key. */
  key: string;
  /** Null if the service did not accept one. */
  signing: SigningKey | null;
}

/** The file of a login cannot be read. */
export class LoginError extends Error {}

/** The file of the login: `$XDG_CONFIG_HOME/inferboard/config.json`, below `~/.config` by default. */
export function loginFile({ XDG_CONFIG_HOME: folder }: Readonly<Record<string, string | undefined>>): string {
  return join(folder === undefined || folder === '' ? join(homedir(), '.config') : folder, 'inferboard', 'config.json');
}

function readSigning(value: unknown): SigningKey | null {
  if (typeof value !== 'object' || value === null) return null;
  const { key_id: id, private_key: privateKey } = value as { key_id?: unknown; private_key?: unknown };
  return typeof id === 'string' && typeof privateKey === 'string' ? { id, privateKey } : null;
}

/** Reads the login from its file; null without one. @throws LoginError */
export async function readLogin(file: string): Promise<StoredLogin | null> {
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null) return null;
  try {
    const { url, key, signing } = JSON.parse(text) as Record<keyof StoredLogin, unknown>;
    if (typeof url === 'string' && typeof key === 'string' && URL.canParse(url))
      return { url, key, signing: readSigning(signing) };
  } catch {
    // Reported below.
  }
  throw new LoginError(`${file} cannot be read. Log in again: ${commandWords('login')}`);
}

/** Whether a key can be sent in a header. Line breaks and letters such as é come from a damaged copy. */
export const isSendable = (key: string): boolean => /^[\x21-\x7e]+$/.test(key);

/** The text of a login's file. */
export const loginText = ({ url, key, signing }: StoredLogin): string =>
  `${JSON.stringify(
    { url, key, ...(signing && { signing: { key_id: signing.id, private_key: signing.privateKey } }) },
    null,
    2,
  )}\n`;

/** The address of a service as a base for paths. Users copy addresses with `/v1`. */
export const baseOf = (url: string): string => new URL(url).href.replace(/(?:\/v1)?\/*$/, '');

/** The Ed25519 signature of bytes, in base64. */
export const signBytes = (privateKey: string, bytes: Uint8Array): string =>
  sign(null, bytes, createPrivateKey(privateKey)).toString('base64');

/** The query parameters that sign an artifact; none without a signing key. */
export const signatureOf = (signing: SigningKey | null, bytes: Uint8Array): Record<string, string> =>
  signing === null ? {} : { signing_key: signing.id, signature: signBytes(signing.privateKey, bytes) };
