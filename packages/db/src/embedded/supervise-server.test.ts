import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withConnection } from '../testing/connection.ts';
import { makeTempFolder } from '../testing/temp-folder.ts';
import { type Embedded, startEmbedded } from './start.ts';
import { type SupervisedServer, superviseServer } from './supervise-server.ts';

let dataDir = '';
let first: Embedded;
let supervised: SupervisedServer;
let lost: Promise<string>;
let restarted: Promise<string>;

beforeEach(async () => {
  dataDir = join(await makeTempFolder(), 'data');
  const options = { dataDir, log: () => {}, fsync: false };
  first = await startEmbedded(options);
  const [loss, restart] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  supervised = superviseServer(first, {
    ...options,
    log: restart.resolve,
    onLost: ({ message }) => loss.resolve(message),
  });
  [lost, restarted] = [loss.promise, restart.promise];
});
afterEach(async () => {
  await supervised.stop();
  await rm(join(dataDir, '..'), { recursive: true, force: true, maxRetries: 3 });
});

const one = () => withConnection(supervised.url, (sql) => sql`select 1 as one`);

// Such a process notices the crash when its statement ends. Until then, no server can start.
test.runIf(process.platform === 'linux')('restarts a killed server while a long statement runs', async () => {
  const busy = withConnection(supervised.url, async (sql) => {
    const statement = sql`select count(*) from generate_series(1, 100000000000)`.execute();
    const isBusy = () =>
      withConnection(
        supervised.url,
        (other) =>
          other`select 1 from pg_stat_activity where query like '%generate_series(1,%' and pid <> pg_backend_pid()`,
      );
    while ((await isBusy()).length === 0);
    process.kill(first.pid, 'SIGKILL');
    await statement;
  });
  await expect(busy).rejects.toThrow();
  expect(await Promise.race([restarted, lost])).toMatch(
    /^The embedded PostgreSQL stopped and was restarted in \d+ ms\.$/,
  );
  expect(await one()).toEqual([{ one: 1 }]);
});

test('does not create a new server if the data directory is gone', async () => {
  await rm(join(dataDir, 'postgres'), { recursive: true, force: true });
  expect(await lost).toMatch(/cannot be restarted: \S+ was removed\.$/);
  await expect(one()).rejects.toThrow();
});

test('does not restart a server that was stopped', async () => {
  await supervised.stop();
  await expect(one()).rejects.toThrow();
  expect(await Promise.race([lost, restarted, Promise.resolve('neither')])).toBe('neither');
});
