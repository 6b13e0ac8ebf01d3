// Attacks a running service as anonymous users could, and reports which attacks were repelled: each account counts once, and
// ranks cannot be bought. It creates accounts and submits false results, so use an installation that will be deleted.
//   REGISTRATION=open npm start
//   npm run attack -- --url http://localhost:8787 --admin-key ... [--only copies]
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { attackAll } from './run.ts';
import { World } from './world.ts';

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: 'http://localhost:8787' },
    'admin-key': { type: 'string', default: process.env.ADMIN_KEY ?? '' },
    /** A family of attacks, or part of an attack's name. */
    only: { type: 'string' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
  },
});
const world = new World({ url: values.url, adminKey: values['admin-key'], seed: Number(values.seed) });
const only = values.only ?? null;
try {
  const { attempts, missed } = await attackAll(world, { only, say: (line) => console.log(line) });
  console.log(`${attempts - missed} of ${attempts} attacks on ${world.url} failed as they must (seed ${values.seed})`);
  process.exitCode = missed === 0 ? 0 : 1;
} catch (error) {
  // Before the first attack: the service does not respond, or rejects the admin's key.
  console.error(`Cannot attack ${world.url}: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 2;
}
