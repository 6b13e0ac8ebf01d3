import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { TransactionSql } from 'postgres';
import { ensureBoards } from '../boards/fill-boards.ts';
import { createDatabase } from '../client.ts';
import { migrate, migrateTo } from '../migrate.ts';
import { type PublicTable, publicTables } from '../schema/public-data.ts';
import { connectForCopies, copyOut, quoted } from './copy-out.ts';
import { DumpError, type DumpedTable, hashTables, type Manifest, readManifest } from './manifest.ts';
import { restoreObjects } from './objects.ts';

/** What restored rows get in columns that the dump does not hold, of those that the schema of the dump has. */
async function standInsOf(tx: TransactionSql, { name, standIns }: PublicTable, dumped: DumpedTable) {
  const rows = await tx`select attname from pg_attribute where attrelid = ${name}::regclass and attnum > 0`;
  const columns = new Set(rows.map(({ attname }) => attname));
  return standIns.filter(({ column }) => columns.has(column) && !dumped.columns.includes(column));
}

const discard = () => new Writable({ write: (_chunk, _encoding, done) => done() });

/** Puts the rows of a file into a table; the hash of what was read is answered. */
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
  const refuse = () => new DumpError(`${path} was changed: its hash is not the manifest's.`);
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

/** Counters go on after the highest number that came. */
async function advanceCounters(tx: TransactionSql, table: string): Promise<void> {
  const identities = await tx`
    select attname from pg_attribute where attrelid = ${table}::regclass and attidentity <> ''`;
  for (const { attname } of identities) {
    const [name, column] = [quoted([table]), quoted([attname])];
    await tx.unsafe(`
      select setval(pg_get_serial_sequence('${name}', '${attname}'), max(${column})) from ${name} having max(${column}) > 0`);
  }
}

async function restoreRows(tx: TransactionSql, folder: string, manifest: Manifest, told?: RestoreOptions['told']) {
  const declared = new Map(publicTables.map((table) => [table.name, table]));
  const found: DumpedTable[] = [];
  const tables = manifest.tables.map((dumped) => {
    const table = declared.get(dumped.name);
    if (table === undefined)
      throw new DumpError(`The dump holds a table that this release does not know: ${dumped.name}.`);
    return { table, dumped };
  });
  for (const { table } of tables) {
    const [row] = await tx.unsafe(`select exists (select 1 from ${quoted([table.name])}) as taken`);
    if (row?.taken) throw new DumpError(`The database is not empty: ${table.name} has rows. Restore into a new one.`);
  }
  for (const { table, dumped } of tables) {
    await restoreTable(tx, folder, table, dumped);
    await advanceCounters(tx, table.name);
    told?.(dumped);
  }
  // Read back as a dump would be: what is there now is what was there then.
  for (const { table, dumped } of tables) {
    const selection = { name: table.name, columns: dumped.columns, key: table.key, rows: table.rows };
    found.push({ ...dumped, ...(await copyOut(tx, selection, [discard()])) });
  }
  const differing = found.filter(({ sha256 }, at) => sha256 !== manifest.tables[at]?.sha256).map(({ name }) => name);
  if (differing.length > 0)
    throw new DumpError(`Read back, the rows of ${differing.join(', ')} are not those of the dump.`);
  return hashTables(found);
}

/** What boards read is no part of a dump. */
async function fillRestored(url: string): Promise<void> {
  const database = createDatabase(url, { poolSize: 1 });
  try {
    await ensureBoards(database.db, { isAnew: true });
  } finally {
    await database.close();
  }
}

export interface RestoreOptions {
  told?: (table: DumpedTable) => void;
}

/**
 * Brings a dump into an empty database: the schema of the release that wrote it, its rows, and what has changed since.
 * All rows are there in the end, and are those of the dump by its hash, or none.
 *
 * @returns the hash over all rows as they were read back
 * @throws DumpError where the dump is damaged, the database is not empty, or the dump is of a newer release
 */
export async function restoreDump(
  url: string,
  folder: string,
  { told }: RestoreOptions = {},
): Promise<{ manifest: Manifest; sha256: string }> {
  const manifest = await readManifest(folder);
  if (!(await migrateTo(url, manifest.migration)))
    throw new DumpError(`The dump is of the schema ${manifest.migration}, which this release does not know.`);
  const sql = connectForCopies(url);
  let sha256 = '';
  try {
    await sql.begin(async (tx) => {
      sha256 = await restoreRows(tx, folder, manifest, told);
      if (manifest.objects > 0) await restoreObjects(tx, folder);
      // Whoever starts the service on it gets what was dumped, and no samples beside it.
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
