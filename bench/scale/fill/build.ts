import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { ensureBoards } from '../../../packages/db/src/boards/fill-boards.ts';
import { createDatabase, type Database } from '../../../packages/db/src/connection/client.ts';
import { toScenarioRow } from '../../../packages/db/src/connection/rows.ts';
import { startEmbedded } from '../../../packages/db/src/embedded/start.ts';
import { migrate } from '../../../packages/db/src/migrations/migrate.ts';
import type { Wish } from '../arguments.ts';
import { prepare, restore } from '../database.ts';
import { makeAccounts } from '../uploads.ts';
import { workloads } from '../workloads.ts';
import { fill } from './fill.ts';
import { createProgress } from './progress.ts';
import { filledTables, openLoad, rankedTables } from './tables.ts';

/** Manifest of the content, written when a directory is complete. */
export const markFile = 'generated.json';

/** Content of a directory, and the duration of each build step, seconds. */
export interface Built {
  results: number;
  systems: number;
  seed: number;
  fillS: number;
  indexS: number;
}

async function requireEmpty(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true });
  if ((await readdir(dir)).length > 0) {
    throw new Error(`${dir} is not empty. Data are generated into an empty folder only: remove it, or name another.`);
  }
}

async function storeShared(database: Database, seed: number): Promise<void> {
  const scenarios = workloads.map(({ id, scenario }) => ({ id, ...toScenarioRow(scenario) }));
  const accounts = makeAccounts(seed).map((account) => ({ ...account, created_at: '2024-06-30T00:00:00Z' }));
  for (const [name, rows] of [
    ['scenarios', scenarios],
    ['accounts', accounts],
  ] as const) {
    const load = await openLoad(database, name);
    await load.write(rows);
    await load.end();
  }
}

/**
 * Creates a data directory of the embedded Postgres with the given number of results, and the rows that the product would have
 * stored for them. Nothing is flushed to disk before the end, so an incomplete directory is unusable.
 *
 * @throws Error if the folder is not empty
 */
export async function build(wish: Wish, log: (line: string) => void): Promise<Built> {
  await requireEmpty(wish.dir);
  const embedded = await startEmbedded({ dataDir: wish.dir, log, fsync: false });
  try {
    await migrate(embedded.url);
    const database = createDatabase(embedded.url, { statementTimeout_ms: 0, poolSize: 1, keepsConnections: true });
    const dropped = await prepare(database.sql, filledTables);
    await storeShared(database, wish.seed);

    const start = performance.now();
    const progress = createProgress(wish.results, log);
    const sample = await fill(wish, embedded.url, availableParallelism(), progress);
    const filled = performance.now();
    const fillS = (filled - start) / 1000;
    log(`${wish.results} results in ${fillS.toFixed(0)} s, ${Math.round(wish.results / fillS)} results/s`);
    log(`of ${sample.judged} results that were judged once more, ${sample.differing} had other findings`);
    await restore(database.sql, dropped, log);
    const indexed = performance.now();
    const droppedOfBoards = await prepare(database.sql, rankedTables);
    await ensureBoards(database.db, { isAnew: true });
    const derived = performance.now();
    await restore(database.sql, droppedOfBoards, log);
    const [derivedS, keyedS] = [derived - indexed, performance.now() - derived].map((ms) => (ms / 1000).toFixed(0));
    log(`boards in ${derivedS} s, their indexes in ${keyedS} s`);
    const indexS = (performance.now() - filled) / 1000;
    log(`indexes, references and statistics in ${indexS.toFixed(0)} s`);
    await database.close();
    const { results, systems, seed } = wish;
    const built = { results, systems, seed, fillS, indexS };
    await embedded.stop();
    await writeFile(join(wish.dir, markFile), `${JSON.stringify(built)}\n`);
    return built;
  } finally {
    await embedded.stop();
  }
}
