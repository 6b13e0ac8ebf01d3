import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import type { Sql } from 'postgres';
import { connect } from './connect.ts';
import { parseDatabaseUrl } from './database-url.ts';
import * as schema from './schema/index.ts';

export interface Database {
  /** For SQL we write ourselves. */
  readonly sql: Sql;
  readonly db: PostgresJsDatabase<typeof schema>;
  /** Lets running queries end, for five seconds or as many as are given, then closes every connection. */
  close(patience_s?: number): Promise<void>;
}

/** What `db.transaction` hands to its callback. */
export type Transaction = Parameters<Parameters<Database['db']['transaction']>[0]>[0];

export interface DatabaseOptions {
  /** Connections at most, for each of the two clients. */
  readonly poolSize?: number;
  /** Shown in pg_stat_activity. */
  readonly applicationName?: string;
  /** Postgres cancels a statement that runs longer. */
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

/**
 * Opens no connection before the first query. Behind a pooler (`?pgbouncer=true`) statements are not prepared, and
 * `statementTimeout_ms` is the pooler's to set.
 */
export function createDatabase(address: string, options: DatabaseOptions = {}): Database {
  const { url, isPooled } = parseDatabaseUrl(address);
  const { statement_timeout, ...settings } = sessionSettings;
  const session = {
    ...settings,
    statement_timeout: options.statementTimeout_ms ?? statement_timeout,
    ...(options.isReadOnly ? { default_transaction_read_only: true } : {}),
  };
  const ask = {
    max: options.poolSize ?? 10,
    connect_timeout: options.connectTimeout_s ?? 10,
    backoff: reconnectDelay_s,
    onnotice: () => {},
    ...(options.keepsConnections ? { max_lifetime: null } : {}),
  };
  const application_name = options.applicationName ?? 'inferboard';
  const open = () =>
    isPooled
      ? connect(url, { ...ask, prepare: false, connection: { application_name } }, true)
      : connect(url, { ...ask, connection: { application_name, ...session } }, false);
  // Two clients, because drizzle rewires the date and JSON handling of the one it is given.
  const sql = open();
  const drizzleClient = open();
  return {
    sql,
    db: drizzle(drizzleClient, { casing: 'snake_case', schema }),
    close: async (timeout = 5) => {
      await Promise.all([sql.end({ timeout }), drizzleClient.end({ timeout })]);
    },
  };
}

/** Resolves when the database answers, rejects when it does not. */
export async function ping(sql: Sql): Promise<void> {
  await sql`select 1`;
}
