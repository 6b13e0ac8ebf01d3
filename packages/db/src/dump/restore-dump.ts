import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { TransactionSql } from 'postgres';
import { ensureBoards } from '../boards/fill-boards.ts';
import { createDatabase } from '../connection/client.ts';
import { migrate, migrateTo } from '../migrations/migrate.ts';
import type { PublicTable } from '../schema/exposure/public-table.ts';
import { publicTables } from '../schema/exposure/public-tables.ts';
import { connectForCopies, copyOut, quoted } from './copy-out.ts';
import { DumpError, type DumpedTable, hashTables, type Manifest, readManifest } from './manifest.ts';
import { restoreObjects } from './objects.ts';

/** Values for columns of the dump's schema that the dump does not contain. */
async function standInsOf(tx: TransactionSql, { name, standIns }: PublicTable, dumped: DumpedTable) {
  const rows = await tx`select attname from pg_attribute where attrelid = ${name}::regclass and attnum > 0`;
  const columns = new Set(rows.map(({ attname }) => attname));
  return standIns.filter(({ column }) => columns.has(column) && !dumped.columns.includes(column));
}

const discard = () => new Writable({ write: (_chunk, _encoding, done) => done() });

/** Loads a file into a table. Returns the hash of the data read. */
async function copyFile(tx: TransactionSql, into: string, columns: readonly string[], path: string): Promise<string> {
  const hash = createHash('sha256');
  const copy = `copy ${quoted([into])} (${quoted(columns)}) from stdin (format csv, header match)`;
  const stream = await tx.unsafe(copy).writable();
  const hashed = async function* (chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  };
  await pipeline(createReadStream(path), createGunzip(), hashed, stream);
  return hash.digest('hex');
}

async function restoreTable(
  tx: TransactionSql,
  folder: string,
  table: PublicTable,
  dumped: DumpedTable,
): Promise<void> {
  const standIns = await standInsOf(tx, table, dumped);
  const path = join(folder, dumped.file);
  const refuse = () => new DumpError(`${path} was changed: its hash does not match the manifest.`);
  if (standIns.length === 0) {
    if ((await copyFile(tx, table.name, dumped.columns, path)) !== dumped.sha256) throw refuse();
    return;
  }
  const [names, columns] = [quoted([table.name]), quoted(dumped.columns)];
  await tx.unsafe(`create temporary table incoming as select ${columns} from ${names} limit 0`);
  if ((await copyFile(tx, 'incoming', dumped.columns, path)) !== dumped.sha256) throw refuse();
  await tx.unsafe(`
    insert into ${names} (${columns}, ${quoted(standIns.map(({ column }) => column))})
    select ${columns}, ${standIns.map(({ expression }) => expression).join(', ')} from incoming`);
  await tx.unsafe('drop table incoming');
}

/** Advances sequences beyond the highest restored number. */
async function advanceCounters(tx: TransactionSql, table: string): Promise<void> {
  const identities = await tx`
    select attname from pg_attribute where attrelid = ${table}::regclass and attidentity <> ''`;
  for (const { attname } of identities) {
    const [name, column] = [quoted([table]), quoted([attname])];
    await tx.unsafe(`
      select setval(pg_get_serial_sequence('${name}', '${attname}'), max(${column})) from ${name} having max(${column}) > 0`);
  }
}

async function restoreRows(
  tx: TransactionSql,
  folder: string,
  manifest: Manifest,
  onTable?: RestoreOptions['onTable'],
) {
  const declared = new Map(publicTables.map((table) => [table.name, table]));
  const found: DumpedTable[] = [];
  const tables = manifest.tables.map((dumped) => {
    const table = declared.get(dumped.name);
    if (table === undefined)
      throw new DumpError(`The dump has a table that is unknown to this release: ${dumped.name}.`);
    return { table, dumped };
  });
  for (const { table } of tables) {
    const [row] = await tx.unsafe(`select exists (select 1 from ${quoted([table.name])}) as taken`);
    if (row?.taken) throw new DumpError(`The database is not empty: ${table.name} has rows. Restore into a new one.`);
  }
  for (const { table, dumped } of tables) {
    await restoreTable(tx, folder, table, dumped);
    await advanceCounters(tx, table.name);
    onTable?.(dumped);
  }
  // Reads the rows back like a dump and compares the hashes.
  for (const { table, dumped } of tables) {
    const selection = { name: table.name, columns: dumped.columns, key: table.key, rows: table.rows };
    found.push({ ...dumped, ...(await copyOut(tx, selection, [discard()])) });
  }
  const differing = found.filter(({ sha256 }, at) => sha256 !== manifest.tables[at]?.sha256).map(({ name }) => name);
  if (differing.length > 0)
    throw new DumpError(`After the restore, the rows of ${differing.join(', ')} differ from the dump.`);
  return hashTables(found);
}

/** Fills the board tables, which are not part of a dump. */
async function fillRestored(url: string): Promise<void> {
  const database = createDatabase(url, { poolSize: 1 });
  try {
    await ensureBoards(database.db, { isAnew: true });
  } finally {
    await database.close();
  }
}

export interface RestoreOptions {
  onTable?: (table: DumpedTable) => void;
}

/**
 * Restores a dump into an empty database: creates the schema of the release that wrote it, loads the rows, and runs later
 * migrations. The restore is atomic, and verifies the rows by hash.
 *
 * @returns the hash over all rows as read back
 * @throws DumpError if the dump is damaged, the database is not empty, or a newer release wrote the dump
 */
export async function restoreDump(
  url: string,
  folder: string,
  { onTable }: RestoreOptions = {},
): Promise<{ manifest: Manifest; sha256: string }> {
  const manifest = await readManifest(folder);
  if (!(await migrateTo(url, manifest.migration)))
    throw new DumpError(`The dump has the schema ${manifest.migration}, which is unknown to this release.`);
  const sql = connectForCopies(url);
  let sha256 = '';
  try {
    await sql.begin(async (tx) => {
      sha256 = await restoreRows(tx, folder, manifest, onTable);
      if (manifest.objects > 0) await restoreObjects(tx, folder);
      // Prevents a later start of the service from adding the sample data.
      await tx`insert into settings (key, value) values ('sample_data_loaded', 'true') on conflict do nothing`;
    });
    await migrate(url);
    await fillRestored(url);
    await sql`analyze`;
  } finally {
    await sql.end({ timeout: 5 });
  }
  return { manifest, sha256 };
}
