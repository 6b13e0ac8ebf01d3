import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate as applyMigrations } from 'drizzle-orm/postgres-js/migrator';
import postgres, { type Sql, type TransactionSql } from 'postgres';
import { ensureBoards } from './boards/fill-boards.ts';
import { splitClaims } from './queries/claims-split.ts';
import * as schema from './schema/index.ts';

/** The migrations of this release. */
export const migrationsFolder: string = fileURLToPath(new URL('../migrations', import.meta.url));

export interface MigrateOptions {
  readonly folder?: string;
  /** How long to wait for a table that others use, before giving way to those that queue behind us. */
  readonly lockTimeout_ms?: number;
  /** How often to try, for such a table. */
  readonly attempts?: number;
  /** How long another process may migrate before we give up. */
  readonly patience_ms?: number;
}

/** An arbitrary number that all releases share. */
const ADVISORY_LOCK = 4_707_230_615;
const LOCK_NOT_AVAILABLE = '55P03';

interface Journal {
  readonly entries: readonly { readonly tag: string; readonly when: number }[];
}

async function readJournal(folder: string): Promise<Journal> {
  return JSON.parse(await readFile(join(folder, 'meta', '_journal.json'), 'utf8'));
}

/**
 * Brings the schema to this release. All pending migrations commit together or not at all; of several processes that
 * start at once one migrates and the others wait for it. Needs a direct connection: a transaction-mode pooler would lose
 * the lock.
 */
export async function migrate(url: string, options: MigrateOptions = {}): Promise<void> {
  const { folder = migrationsFolder, lockTimeout_ms = 2_000, attempts = 5, patience_ms = 120_000 } = options;
  const sql = postgres(url, {
    max: 1,
    max_lifetime: null,
    connect_timeout: 10,
    onnotice: () => {},
    connection: {
      application_name: 'inferboard migrate',
      statement_timeout: 0,
      lock_timeout: lockTimeout_ms,
    },
  });
  try {
    await lockMigrations(sql, patience_ms);
    await applyWithRetries(sql, folder, attempts);
    const left = await findPending(sql, folder);
    if (left.length > 0) {
      throw new Error(`Migration ${left.join(', ')} is older than one already applied: generate it again.`);
    }
    if (folder === migrationsFolder) {
      const db = drizzle(sql, { casing: 'snake_case', schema });
      await splitClaims(db);
      await ensureBoards(db);
    }
  } finally {
    // The advisory lock goes with the connection.
    await sql.end({ timeout: 5 });
  }
}

/** Polls: a blocking wait would be subject to the lock timeout, and would hold back `create index concurrently`. */
async function lockMigrations(sql: Sql, patience_ms: number): Promise<void> {
  const deadline = performance.now() + patience_ms;
  for (;;) {
    const [row] = await sql`select pg_try_advisory_lock(${ADVISORY_LOCK}) as locked`;
    if (row?.locked === true) return;
    if (performance.now() > deadline) {
      throw new Error(`Another process has been migrating this database for ${patience_ms / 1000} s.`);
    }
    await sleep(100);
  }
}

async function applyWithRetries(sql: Sql, folder: string, attempts: number): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await applyMigrations(drizzle(sql), { migrationsFolder: folder });
      return;
    } catch (error) {
      if (attempt >= attempts || sqlState(error) !== LOCK_NOT_AVAILABLE) throw error;
      await sleep(250 * attempt);
    }
  }
}

/** drizzle wraps what Postgres said into an error of its own. */
function sqlState(error: unknown): unknown {
  if (!(error instanceof Error)) return undefined;
  return 'code' in error ? error.code : sqlState(error.cause);
}

/** How many migrations of this release the database lacks; 0 also when a newer release has migrated it. */
export async function pendingMigrations(sql: Sql, folder: string = migrationsFolder): Promise<number> {
  return (await findPending(sql, folder)).length;
}

async function findPending(sql: Sql, folder: string): Promise<string[]> {
  const journal = await readJournal(folder);
  const applied = await findApplied(sql);
  // It also skips entries older than the newest, which shows here.
  return journal.entries.filter(({ when }) => !applied.has(when)).map(({ tag }) => tag);
}

/** By the journal's time, which is what drizzle stores. */
async function findApplied(sql: Sql | TransactionSql): Promise<Set<number>> {
  const [table] = await sql`select to_regclass('drizzle.__drizzle_migrations') is not null as exists`;
  const rows = table?.exists === true ? await sql`select created_at from drizzle.__drizzle_migrations` : [];
  return new Set(rows.map((row) => Number(row.created_at)));
}

/** The last migration that the database has; null where a newer release has migrated it, or none. */
export async function appliedMigration(sql: Sql | TransactionSql): Promise<string | null> {
  const { entries } = await readJournal(migrationsFolder);
  const applied = await findApplied(sql);
  const last = Math.max(...applied);
  return entries.find(({ when }) => when === last)?.tag ?? null;
}

/**
 * Brings an empty database to the schema as it was with a migration of this release or an earlier one; false if this
 * release has no such migration.
 */
export async function migrateTo(url: string, tag: string): Promise<boolean> {
  const { entries, ...journal } = await readJournal(migrationsFolder);
  const upTo = entries.slice(0, entries.findIndex((entry) => entry.tag === tag) + 1);
  if (upTo.length === 0) return false;
  const folder = await mkdtemp(join(tmpdir(), 'inferboard-schema-'));
  try {
    await mkdir(join(folder, 'meta'));
    await writeFile(join(folder, 'meta', '_journal.json'), JSON.stringify({ ...journal, entries: upTo }));
    for (const entry of upTo)
      await copyFile(join(migrationsFolder, `${entry.tag}.sql`), join(folder, `${entry.tag}.sql`));
    await migrate(url, { folder });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return true;
}
