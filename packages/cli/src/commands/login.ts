import { loginFile } from '@inferboard/loadgen/cli/stored-login';
import { readOptions } from '../options.ts';
import { createService } from '../service.ts';
import { chooseService, readKey, readSettings, writeSettings } from '../settings.ts';
import { chooseSigning } from '../signing.ts';
import { exitCodes, Failure, type World } from '../world.ts';

/** What the client reads of `GET /v1/me`. */
export interface Me {
  account: { id: string; name: string; standing: string };
  key: { scopes: string[] };
}

async function askForKey(world: World, url: string): Promise<string> {
  const { INFERBOARD_KEY: set } = world.env;
  if (set) return set;
  const terminal = world.openTerminal();
  if (terminal === null) return new TextDecoder().decode(await world.readInput()).trim();
  try {
    return await terminal.ask(`Key for ${url} (ib_...): `, { isSecret: true });
  } finally {
    terminal.close();
  }
}

/** The stored login; null also for a damaged one, which the new login replaces. */
const readUsable = (file: string) => readSettings(file).catch(() => null);

/** `inferboard login`: stores an API key once the service accepts it, and a key that signs submissions. */
export async function login(args: readonly string[], world: World): Promise<number> {
  const options = readOptions(args);
  if (options.words.length > 0)
    throw new Failure(
      exitCodes.usage,
      'login does not accept a key as an argument, because the shell history would keep it. It prompts for the key.',
    );
  const { url } = await chooseService(world, options, readUsable);
  const key = readKey(await askForKey(world, url));
  if (key === '') throw new Failure(exitCodes.usage, 'No key was given.');
  const service = createService({ url, key });
  const me = await service.get<Me>('/v1/me');
  const file = loginFile(world.env);
  const stored = await readUsable(file);
  const earlier = stored?.url === url ? stored.signing : null;
  // Before a signing key is registered: its private key must be stored.
  await writeSettings(file, { url, key, signing: earlier });
  const signing = await chooseSigning(service, me.account.id, earlier);
  await writeSettings(file, { url, key, signing: signing.key });
  if (options.json) {
    const signing_key = signing.key && { id: signing.key.id, fingerprint: signing.fingerprint };
    world.print(JSON.stringify({ url, file, ...me, signing_key }));
    return exitCodes.ok;
  }
  world.print(`Logged in to ${url} as ${me.account.name} (${me.key.scopes.join(', ')}). The key is in ${file}.`);
  world.print(
    signing.key === null
      ? `Submissions are not signed: ${signing.reason}`
      : `Submissions are signed with ${signing.key.id}, ${signing.fingerprint}.`,
  );
  return exitCodes.ok;
}
