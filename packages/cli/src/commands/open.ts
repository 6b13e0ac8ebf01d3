import { spawn } from 'node:child_process';
import { readOptions } from '../options.ts';
import { createService, type Service } from '../service.ts';
import { chooseService } from '../settings.ts';
import { exitCodes, Failure, type World } from '../world.ts';
import type { Me } from './login.ts';

const folders: Record<string, string> = { sub: 'submissions', sys: 'systems', run: 'runs' };

/** The page of the newest submission of the account whose key is used. */
async function findNewest(service: Service): Promise<string> {
  const { account } = await service.get<Me>('/v1/me');
  const { data } = await service.get<{ data: { links: { page: string } }[] }>('/v1/submissions', {
    account: account.id,
    limit: '1',
  });
  const [newest] = data;
  if (newest === undefined) throw new Failure(exitCodes.refused, `${account.name} has submitted nothing yet.`);
  return newest.links.page;
}

/** Shows an address in the user's browser; false where there is none. */
function showInBrowser(link: string): Promise<boolean> {
  const [command, ...before] =
    process.platform === 'darwin' ? ['open'] : process.platform === 'win32' ? ['explorer'] : ['xdg-open'];
  return new Promise((resolve) => {
    const child = spawn(command as string, [...before, link], { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}

/** `inferboard open [ID]`: prints a page's link. At a terminal, opens it in the browser. */
export async function open(args: readonly string[], world: World): Promise<number> {
  const options = readOptions(args, { print: 'switch' });
  const [id, ...more] = options.words;
  const folder = folders[id?.split('_')[0] ?? ''];
  if (more.length > 0 || (id !== undefined && folder === undefined))
    throw new Failure(exitCodes.usage, 'open takes one id, such as sub_..., sys_... or run_...');
  const service = createService(await chooseService(world, options));
  const link = id === undefined ? await findNewest(service) : `${service.url}/${folder}/${encodeURIComponent(id)}`;
  world.print(options.json ? JSON.stringify({ link }) : link);
  if (world.isRead && !options.json && !options.switches.has('print') && !(await showInBrowser(link)))
    world.say('No browser was found.');
  return exitCodes.ok;
}
