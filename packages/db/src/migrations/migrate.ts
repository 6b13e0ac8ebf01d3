import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate as applyMigrations } from 'drizzle-orm/postgres-js/migrator';
import postgres, { type Sql, type TransactionSql } from 'postgres';
import { ensureBoards } from '../boards/fill-boards.ts';
import { splitClaims } from '../claims/claims-split.ts';
import { openDrizzle } from '../connection/drizzle-client.ts';

/** The migrations of this release. */
export const migrationsFolder: string = fileURLToPath(new URL('../../migrations', import.meta.url));

export interface MigrateOptions {
  readonly folder?: string;
  /** How long to wait for a lock on a table before giving way to queued queries. */
  readonly lockTimeout_ms?: number;
  /** Maximum attempts to get such a lock. */
  readonly attempts?: number;
  /** How long to wait for another process's migration. */
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
 * Migrates the schema to this release. All pending migrations commit together or not at all. If several processes start at
 * once, one migrates and the others wait. Requires a direct connection: a transaction-mode pooler would lose the lock.
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
      throw new Error(`Migration ${left.join(', ')} is older than an applied one. Generate it again.`);
    }
    if (folder === migrationsFolder) {
      const db = openDrizzle(sql);
      await splitClaims(db);
      await ensureBoards(db);
    }
  } finally {
    // Closing the connection releases the advisory lock.
    await sql.end({ timeout: 5 });
  }
}

/** Polls, because a blocking wait would be subject to the lock timeout and would delay `create index concurrently`. */
async function lockMigrations(sql: Sql, patience_ms: number): Promise<void> {
  const deadline = performance.now() + patience_ms;
  for (;;) {
    const [row] = await sql`select pg_try_advisory_lock(${ADVISORY_LOCK}) as locked`;
    if (row?.locked === true) return;
    if (performance.now() > deadline) {
      throw new Error(`Another process has been migrating this database for more than ${patience_ms / 1000} s.`);
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

/** drizzle wraps PostgreSQL errors. */
function sqlState(error: unknown): unknown {
  if (!(error instanceof Error)) return undefined;
  return 'code' in error ? error.code : sqlState(error.cause);
}

/** Number of this release's migrations that the database lacks; 0 also if a newer release has migrated it. */
export async function pendingMigrations(sql: Sql, folder: string = migrationsFolder): Promise<number> {
  return (await findPending(sql, folder)).length;
}

async function findPending(sql: Sql, folder: string): Promise<string[]> {
  const journal = await readJournal(folder);
  const applied = await findApplied(sql);
  // The migrator also skips entries older than the newest applied one; this check detects them.
  return journal.entries.filter(({ when }) => !applied.has(when)).map(({ tag }) => tag);
}

/** Keyed by the journal's timestamp, which drizzle stores. */
async function findApplied(sql: Sql | TransactionSql): Promise<Set<number>> {
  const [table] = await sql`select to_regclass('drizzle.__drizzle_migrations') is not null as exists`;
  const rows = table?.exists === true ? await sql`select created_at from drizzle.__drizzle_migrations` : [];
  return new Set(rows.map((row) => Number(row.created_at)));
}

/** The last applied migration; null if a newer release has migrated the database, or none is applied. */
export async function appliedMigration(sql: Sql | TransactionSql): Promise<string | null> {
  const { entries } = await readJournal(migrationsFolder);
  const applied = await findApplied(sql);
  const last = Math.max(...applied);
  return entries.find(({ when }) => when === last)?.tag ?? null;
}

/**
 * Migrates an empty database up to a migration of this or an earlier release. Returns false if this release does not contain
 * it.
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
