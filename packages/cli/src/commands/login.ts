import { readOptions } from '../options.ts';
import { createService } from '../service.ts';
import { chooseService, settingsFile, writeSettings } from '../settings.ts';
import { exitCodes, Failure, type World } from '../world.ts';

/** What the client reads of `GET /v1/me`. */
export interface Me {
  account: { id: string; name: string; standing: string };
  key: { scopes: string[] };
}

async function readKey(world: World, url: string): Promise<string> {
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

/** `inferboard login`: keeps a key for the user, once the service knows it. */
export async function login(args: readonly string[], world: World): Promise<number> {
  const options = readOptions(args);
  if (options.words.length > 0)
    throw new Failure(exitCodes.usage, 'login takes no key on its line, where histories keep it. It asks for the key.');
  const { url } = await chooseService(world, options);
  const key = await readKey(world, url);
  if (key === '') throw new Failure(exitCodes.usage, 'No key was given.');
  const me = await createService({ url, key }).get<Me>('/v1/me');
  const file = settingsFile(world.env);
  await writeSettings(file, { url, key });
  if (options.json) world.print(JSON.stringify({ url, file, ...me }));
  else world.print(`Logged in to ${url} as ${me.account.name} (${me.key.scopes.join(', ')}). The key is in ${file}.`);
  return exitCodes.ok;
}
