import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import postgres, { type Options, type PostgresType, type Sql } from 'postgres';
import { parseDatabaseUrl } from './database-url.ts';
import { observeClient } from './observe-statements.ts';
import * as schema from './schema/index.ts';

type Drizzle = PostgresJsDatabase<typeof schema>;

export interface Database {
  /** For SQL we write ourselves. */
  readonly sql: Sql;
  /** For lookups and writes. */
  readonly db: Drizzle;
  /** For reads that may take long: boards, exports, the matrix. They never wait for, or hold, a connection of `db`. */
  readonly reads: { readonly db: Drizzle };
  /** Connections at most, of all three clients. */
  readonly connectionsMax: number;
  /** Lets running queries end, for five seconds or as many as are given, then closes every connection. */
  close(patience_s?: number): Promise<void>;
}

/** What `db.transaction` hands to its callback. */
export type Transaction = Parameters<Parameters<Database['db']['transaction']>[0]>[0];

export interface DatabaseOptions {
  /** Connections at most for SQL of our own, and as many for lookups and writes; 2 and 10 if it is left out. */
  readonly poolSize?: number;
  /** Shown in pg_stat_activity. */
  readonly applicationName?: string;
  /** Postgres cancels a statement that runs longer; of long reads, `readTimeout_ms` or this if it is longer. */
  readonly statementTimeout_ms?: number;
  readonly connectTimeout_s?: number;
  /** Keeps each connection however old it is: temporary tables belong to one. */
  readonly keepsConnections?: boolean;
  /** PostgreSQL refuses to change anything but temporary tables, except in a transaction that asks for `read write`. */
  readonly isReadOnly?: boolean;
}

/** Waits between attempts to reconnect; the library's own grow to 20 s, long after the database is back. */
const reconnectDelay_s = (attempts: number): number => Math.min(0.05 * 2 ** attempts, 0.3) * (0.75 + Math.random() / 2);

/** What every connection is set to; a pooler's connections are its own, and its `connect_query` does it. */
export const sessionSettings = {
  statement_timeout: 30_000,
  // Of solid-state disks: by the default, meant for turning ones, a page of fifty entries would be looked for in whole
  // tables.
  random_page_cost: 1.1,
} as const;

/** Connections at most, by what they are for. */
export const poolSizes = { sql: 2, lookupsAndWrites: 10, longReads: 4 } as const;

/** A statement of a long read may run for this long. */
export const readTimeout_ms = 60_000;

/**
 * How long a connection is kept. The driver's list of free connections grows with each statement until all of them are in
 * use at once; closing those that are not needed keeps it short. The driver's own limit is half an hour or more.
 */
const lifetime_s = 120;

/**
 * Opens no connection before the first query. Behind a pooler (`?pgbouncer=true`) statements are not prepared, no statement
 * is sent before the previous one is answered, and timeouts are the pooler's to set.
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
  const openDrizzle = (max: number, statementTimeout: number) => {
    const client = open(max, statementTimeout);
    return { client, db: drizzle(observeClient(client), { casing: 'snake_case', schema }) };
  };
  const sizes = {
    sql: options.poolSize ?? poolSizes.sql,
    lookupsAndWrites: options.poolSize ?? poolSizes.lookupsAndWrites,
    longReads: poolSizes.longReads,
  };
  // Clients of their own, because drizzle rewires the date and JSON handling of the one it is given.
  const sql = open(sizes.sql, timeout);
  const main = openDrizzle(sizes.lookupsAndWrites, timeout);
  const reads = openDrizzle(sizes.longReads, timeout === 0 ? 0 : Math.max(timeout, readTimeout_ms));
  return {
    sql,
    db: main.db,
    reads: { db: reads.db },
    connectionsMax: sizes.sql + sizes.lookupsAndWrites + sizes.longReads,
    close: async (timeout = 5) => {
      await Promise.all([sql, main.client, reads.client].map((client) => client.end({ timeout })));
    },
  };
}

/** Resolves when the database answers, rejects when it does not. */
export async function ping(sql: Sql): Promise<void> {
  await sql`select 1`;
}
