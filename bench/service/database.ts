import { createHash } from 'node:crypto';
import { access, glob, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import postgres, { type Sql } from 'postgres';
import { startEmbedded } from '../../packages/db/src/embedded/start.ts';
import { migrate } from '../../packages/db/src/migrations/migrate.ts';
import { build, markFile } from '../scale/fill/build.ts';

const migrations = fileURLToPath(new URL('../../packages/db/migrations', import.meta.url));
/** Runs add results. If the database exceeds the generated number by this factor, it is generated again. */
const grownMost = 1.25;

export interface Generated {
  url: string;
  postmaster: number;
  sql: Sql;
  results: number;
  end(): Promise<void>;
}

/** A hash of the schema, because another schema needs other rows. */
async function nameSchema(): Promise<string> {
  const hash = createHash('sha256');
  for (const name of (await readdir(migrations)).filter((name) => name.endsWith('.sql')).sort())
    hash.update(await readFile(join(migrations, name)));
  return hash.digest('hex').slice(0, 10);
}

async function isFinished(dir: string): Promise<boolean> {
  return access(join(dir, markFile)).then(
    () => true,
    () => false,
  );
}

/** The folder of a size and this schema. Deletes folders of the same size with an earlier schema. */
async function keptFolder(results: number): Promise<string> {
  const prefix = `inferboard-bench-${results}-`;
  const name = `${prefix}${await nameSchema()}`;
  for await (const other of glob(`${prefix}*`, { cwd: tmpdir() }))
    if (basename(other) !== name) await rm(join(tmpdir(), other), { recursive: true, force: true });
  return join(tmpdir(), name);
}

async function open(dir: string): Promise<Generated> {
  const embedded = await startEmbedded({ dataDir: dir, log: () => {} });
  await migrate(embedded.url);
  const sql = postgres(embedded.url, { max: 2, onnotice: () => {} });
  const [counted] = await sql<{ results: number }[]>`select count(*)::int as results from results`;
  return {
    ...{ url: embedded.url, postmaster: embedded.pid, sql, results: counted?.results ?? 0 },
    end: async () => {
      await sql.end();
      await embedded.stop();
    },
  };
}

/**
 * Starts PostgreSQL on a generated database, durable as in production. Generates it if it is missing, and keeps it for later
 * runs.
 *
 * @param given the folder; null for the default folder of this size
 */
export async function openGenerated(
  results: number,
  given: string | null,
  log: (line: string) => void,
): Promise<Generated> {
  const dir = given ?? (await keptFolder(results));
  if (await isFinished(dir)) {
    log(`Using the database in ${dir}`);
    const found = await open(dir);
    if (given !== null || found.results <= grownMost * results) return found;
    log(`It has ${found.results} results by now.`);
    await found.end();
  }
  if (given === null) await rm(dir, { recursive: true, force: true });
  log(`Generating ${results} results in ${dir}`);
  await build({ dir, results, systems: Math.ceil(results / 50), seed: 1 }, log);
  return open(dir);
}
