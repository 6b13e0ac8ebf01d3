import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { exitCodes, Failure, type World } from './world.ts';

/** What `login` keeps. */
export interface Settings {
  url: string;
  key: string;
}

const urlDefault = 'http://localhost:8787';

/** The user's file of settings: `$XDG_CONFIG_HOME/inferboard/config.json`, below `~/.config` by default. */
export function settingsFile({ XDG_CONFIG_HOME: folder }: World['env']): string {
  return join(folder === undefined || folder === '' ? join(homedir(), '.config') : folder, 'inferboard', 'config.json');
}

async function readSettings(file: string): Promise<Settings | null> {
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null) return null;
  try {
    const { url, key } = JSON.parse(text) as Partial<Settings>;
    if (typeof url === 'string' && typeof key === 'string') return { url, key };
  } catch {
    // Said below.
  }
  throw new Failure(exitCodes.usage, `${file} cannot be read. Log in again: inferboard login`);
}

/** Keeps settings where only the user can read them. */
export async function writeSettings(file: string, settings: Settings): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(file, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 });
  // The mode above is of a new file alone.
  await chmod(file, 0o600);
}

/** An address as a base for paths, without a slash at its end. @throws Failure where it is none */
export function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new Failure(exitCodes.usage, `"${text}" is not an http or https address.`);
  return url.href.replace(/\/+$/, '');
}

/** The service and the key that a command uses: flags first, then the environment, then what `login` kept. */
export async function chooseService(world: World, flags: { url?: string | undefined }) {
  const file = settingsFile(world.env);
  const { INFERBOARD_URL: urlSet, INFERBOARD_KEY: keySet } = world.env;
  const kept = await readSettings(file);
  const url = readUrl(flags.url ?? (urlSet || null) ?? kept?.url ?? urlDefault);
  // A key goes to the service that it was kept for, and to no other.
  const keptKey = kept !== null && readUrl(kept.url) === url ? kept.key : null;
  return { url, key: keySet || keptKey };
}
