import { createWriteStream } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createGzip } from 'node:zlib';
import { type ArtifactStore, inDatabase } from '../artifacts/artifact-store.ts';
import { appliedMigration } from '../migrate.ts';
import { publicTables } from '../schema/public-data.ts';
import { connectForCopies, copyOut, type Selection } from './copy-out.ts';
import { DumpError, type DumpedTable, hashTables, type Manifest, manifestName } from './manifest.ts';
import { writeObjects } from './objects.ts';

export interface DumpOptions {
  /** Of this program, told in the manifest. */
  release: string;
  /** Where artifacts lie that are not in the database. */
  artifacts?: ArtifactStore;
  /** What is written; everything public where left away. */
  tables?: readonly Selection[];
  told?: (table: DumpedTable) => void;
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
 * Writes everything public into a new folder, as it was at one moment, while the service goes on. The folder has its name
 * once it is whole; a dump that breaks off leaves nothing of that name.
 *
 * @throws DumpError where the folder is there already
 */
export async function writeDump(url: string, folder: string, options: DumpOptions): Promise<Manifest> {
  const { release, artifacts = inDatabase, tables = publicTables, told } = options;
  const draft = `${folder}.partial`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true });
  const sql = connectForCopies(url);
  try {
    const manifest = await sql.begin('isolation level repeatable read read only', async (tx): Promise<Manifest> => {
      const migration = await appliedMigration(tx);
      if (migration === null) throw new DumpError('The database was migrated by a newer release: dump it with that.');
      const [moment] = await tx`select to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as now`;
      const written: DumpedTable[] = [];
      for (const table of tables) {
        const file = `${table.name}.csv.gz`;
        // Pages hardly shrink further at higher levels, and it would be what a dump waits for.
        const into = [createGzip({ level: 1 }), createWriteStream(join(draft, file), { flush: true })];
        const copied = await copyOut(tx, table, into);
        const dumped = { name: table.name, file, columns: [...table.columns], ...copied };
        written.push(dumped);
        told?.(dumped);
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
      throw new DumpError(`${folder} is there already: name a new folder.`);
    });
    return manifest;
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  } finally {
    await sql.end({ timeout: 5 });
  }
}
