import { createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createGzip } from 'node:zlib';
import { type ArtifactStore, inDatabase } from '../artifacts/artifact-store.ts';
import { appliedMigration } from '../migrations/migrate.ts';
import { publicTables } from '../schema/exposure/public-tables.ts';
import { connectForCopies, copyOut, type Selection } from './copy-out.ts';
import { DumpError, type DumpedTable, hashTables, type Manifest, manifestName } from './manifest.ts';
import { writeObjects } from './objects.ts';

export interface DumpOptions {
  /** The release of this program, for the manifest. */
  release: string;
  /** The store of artifacts outside the database. */
  artifacts?: ArtifactStore;
  /** The tables to write; everything public by default. */
  tables?: readonly Selection[];
  onTable?: (table: DumpedTable) => void;
}

/** Whether a path is a file, or a folder that is not empty. */
async function isTaken(path: string): Promise<boolean> {
  return readdir(path).then(
    (names) => names.length > 0,
    (error: NodeJS.ErrnoException) => error.code === 'ENOTDIR',
  );
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'w');
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * Writes all public data from one snapshot into a new folder, while the service runs. The folder gets its name when it is
 * complete; an interrupted dump leaves no folder of that name.
 *
 * @throws DumpError if the folder exists
 */
export async function writeDump(url: string, folder: string, options: DumpOptions): Promise<Manifest> {
  const { release, artifacts = inDatabase, tables = publicTables, onTable } = options;
  const taken = new DumpError(`${folder} already exists. Use a new folder.`);
  // Before the tables are read, which may take long.
  if (await isTaken(folder)) throw taken;
  const draft = `${folder}.partial`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true });
  const sql = connectForCopies(url);
  try {
    const manifest = await sql.begin('isolation level repeatable read read only', async (tx): Promise<Manifest> => {
      const migration = await appliedMigration(tx);
      if (migration === null)
        throw new DumpError('The database was migrated by a newer release. Use that release to dump it.');
      const [moment] = await tx`select to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as now`;
      const written: DumpedTable[] = [];
      for (const table of tables) {
        const file = `${table.name}.csv.gz`;
        // Higher levels hardly shrink artifacts further, and compression limits the speed of a dump.
        const into = [createGzip({ level: 1 }), createWriteStream(join(draft, file), { flush: true })];
        const copied = await copyOut(tx, table, into);
        const dumped = { name: table.name, file, columns: [...table.columns], ...copied };
        written.push(dumped);
        onTable?.(dumped);
      }
      return {
        format: 'inferboard-dump/1',
        release,
        migration,
        created_at: moment?.now,
        tables: written,
        objects: await writeObjects(tx, draft, artifacts),
        sha256: hashTables(written),
      };
    });
    await writeDurably(join(draft, manifestName), `${JSON.stringify(manifest, null, 2)}\n`);
    await rename(draft, folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST' && error.code !== 'ENOTDIR') throw error;
      throw taken;
    });
    return manifest;
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  } finally {
    await sql.end({ timeout: 5 });
  }
}
