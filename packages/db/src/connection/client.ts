import postgres, { type Options, type PostgresType, type Sql } from 'postgres';
import { parseDatabaseUrl } from './database-url.ts';
import { type Drizzle, openDrizzle } from './drizzle-client.ts';
import { observeClient } from './observe-statements.ts';

export type { Transaction } from './drizzle-client.ts';

export interface Database {
  /** For handwritten SQL. */
  readonly sql: Sql;
  /** For lookups and writes. */
  readonly db: Drizzle;
  /**
   * For reads that may take long: boards, exports, the matrix. They use a separate pool, so that they neither wait for nor hold
   * connections of `db`.
   */
  readonly reads: {
    readonly db: Drizzle;
    /** For reads that sort all points of a workload. They run one at a time, so that they leave CPU time to all others. */
    readonly sorts: Drizzle;
  };
  /** Maximum connections of all pools. */
  readonly connectionsMax: number;
  /** Waits for running queries, for five seconds or `patience_s`, then closes all connections. */
  close(patience_s?: number): Promise<void>;
}

export interface DatabaseOptions {
  /** Maximum connections for handwritten SQL, and for lookups and writes. Defaults: 2 and 10. */
  readonly poolSize?: number;
  /** Shown in pg_stat_activity. */
  readonly applicationName?: string;
  /** PostgreSQL cancels statements that run longer. For long reads, the larger of `readTimeout_ms` and this value applies. */
  readonly statementTimeout_ms?: number;
  readonly connectTimeout_s?: number;
  /** Keeps connections regardless of their age, because temporary tables belong to a connection. */
  readonly keepsConnections?: boolean;
  /** PostgreSQL rejects changes except to temporary tables, unless a transaction is `read write`. */
  readonly isReadOnly?: boolean;
}

/** Backoff between attempts to reconnect. The library's default grows to 20 s, too long once the database is back. */
const reconnectDelay_s = (attempts: number): number => Math.min(0.05 * 2 ** attempts, 0.3) * (0.75 + Math.random() / 2);

/** Settings of every connection. Behind a pooler, its `connect_query` sets them. */
export const sessionSettings = {
  statement_timeout: 30_000,
  // Suits SSDs. With the default, which assumes spinning disks, a page of fifty entries would scan whole tables.
  random_page_cost: 1.1,
  // A long read uses one core, so that concurrent lookups find another one.
  max_parallel_workers_per_gather: 0,
} as const;

/** Maximum connections by purpose. */
export const poolSizes = { sql: 2, lookupsAndWrites: 10, longReads: 4, sorts: 1 } as const;

/** Statement timeout of long reads. */
export const readTimeout_ms = 60_000;

/**
 * Maximum age of a connection. The driver's list of free connections grows with each statement until all are in use at once;
 * closing idle ones keeps it short. The driver's default is half an hour or more.
 */
const lifetime_s = 120;

/**
 * Opens no connection before the first query. Behind a pooler (`?pgbouncer=true`), statements are not prepared, a statement is
 * sent only after the previous response, and the pooler sets the timeouts.
 */
export function createDatabase(address: string, options: DatabaseOptions = {}): Database {
  const { url, isPooled } = parseDatabaseUrl(address);
  const application_name = options.applicationName ?? 'inferboard';
  const timeout = options.statementTimeout_ms ?? sessionSettings.statement_timeout;
  const open = (max: number, statement_timeout: number): Sql => {
    const session = {
      ...sessionSettings,
      statement_timeout,
      ...(options.isReadOnly ? { default_transaction_read_only: true } : {}),
    };
    const settings = {
      max,
      max_lifetime: options.keepsConnections ? null : lifetime_s,
      connect_timeout: options.connectTimeout_s ?? 10,
      backoff: reconnectDelay_s,
      onnotice: () => {},
      connection: { application_name, ...(isPooled ? {} : session) },
      ...(isPooled ? { prepare: false, max_pipeline: 0 } : {}),
    } satisfies Options<Record<string, PostgresType>> & { max_pipeline?: number };
    return postgres(url, settings);
  };
  const sizes = {
    sql: options.poolSize ?? poolSizes.sql,
    lookupsAndWrites: options.poolSize ?? poolSizes.lookupsAndWrites,
    longReads: poolSizes.longReads,
    sorts: poolSizes.sorts,
  };
  // Separate clients, because drizzle changes the date and JSON handling of the client it gets.
  const sql = open(sizes.sql, timeout);
  const db = openDrizzle(observeClient(open(sizes.lookupsAndWrites, timeout)));
  const ofReads_ms = timeout === 0 ? 0 : Math.max(timeout, readTimeout_ms);
  const reads = openDrizzle(observeClient(open(sizes.longReads, ofReads_ms)));
  const sorts = openDrizzle(observeClient(open(sizes.sorts, ofReads_ms)));
  return {
    sql,
    db,
    reads: { db: reads, sorts },
    connectionsMax: Object.values(sizes).reduce((sum, size) => sum + size, 0),
    close: async (timeout = 5) => {
      await Promise.all([sql, db.$client, reads.$client, sorts.$client].map((client) => client.end({ timeout })));
    },
  };
}

/** Resolves if the database responds; rejects otherwise. */
export async function ping(sql: Sql): Promise<void> {
  await sql`select 1`;
}
