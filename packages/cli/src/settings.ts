import { existsSync } from 'node:fs';
import { chmod, mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  baseOf,
  isSendable,
  LoginError,
  loginFile,
  loginText,
  readLogin,
  type StoredLogin,
} from '@inferboard/loadgen/cli/stored-login';
import { withScheme } from '@inferboard/loadgen/cli/words/http-url';
import { exitCodes, Failure, type World } from './world.ts';

const urlDefault = 'http://localhost:8787';

/** The login; null without one. @throws Failure */
export async function readSettings(file: string): Promise<StoredLogin | null> {
  try {
    return await readLogin(file);
  } catch (error) {
    throw error instanceof LoginError ? new Failure(exitCodes.usage, error.message) : error;
  }
}

/** Creates a folder and its parents. The recursive `mkdir` of Node never ends below a folder such as /proc. */
async function makeFolder(folder: string): Promise<void> {
  const parent = dirname(folder);
  if (existsSync(folder) || parent === folder) return;
  await makeFolder(parent);
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    // Another process may have created it.
    if (error.code !== 'EEXIST') throw error;
  });
}

/** Keeps settings where only the user can read them. @throws Failure */
export async function writeSettings(file: string, settings: StoredLogin): Promise<void> {
  // A new file, since the mode of an existing one may let others read it.
  const fresh = `${file}.${process.pid}`;
  try {
    await makeFolder(dirname(file));
    await writeFile(fresh, loginText(settings), { mode: 0o600 });
    await chmod(fresh, 0o600);
    await rename(fresh, file);
  } catch (error) {
    throw new Failure(
      exitCodes.usage,
      `${file} cannot be written: ${error instanceof Error ? error.message : error}. Set XDG_CONFIG_HOME to another folder, or set INFERBOARD_KEY instead.`,
    );
  }
}

/** A key without the spaces around it. @throws Failure if it cannot be sent */
export function readKey(text: string): string {
  const key = text.trim();
  if (key === '' || isSendable(key)) return key;
  throw new Failure(exitCodes.usage, 'The key has characters that no key has. Copy it again, without line breaks.');
}

const toAdvice = (url: string | null) => (url === null ? '' : ` Write ${url}.`);

/** An address as a base for paths. @throws Failure where it is none */
export function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new Failure(exitCodes.usage, `"${text}" is not an http or https URL.${toAdvice(withScheme(text))}`);
  return baseOf(url.href);
}

/**
 * The service and the keys that a command uses: flags first, then the environment, then the login, then that of the service in
 * this checkout. Only submissions with the API key of the login are signed.
 *
 * @param read reads the login
 */
export async function chooseService(world: World, flags: { url?: string | undefined }, read = readSettings) {
  const { INFERBOARD_URL: urlSet, INFERBOARD_KEY: keySet } = world.env;
  const kept = await read(loginFile(world.env));
  const local = world.localLogin === null ? null : await readSettings(world.localLogin);
  const url = readUrl(flags.url ?? (urlSet || null) ?? kept?.url ?? local?.url ?? urlDefault);
  // A key goes to the service that it was kept for, and to no other.
  const login = [kept, local].find((one) => one !== null && readUrl(one.url) === url) ?? null;
  const key = readKey(keySet ?? '') || (login?.key ?? null);
  return { url, key, signing: key === login?.key ? (login?.signing ?? null) : null };
}
