import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import postgres, { type Sql } from 'postgres';
import * as schema from './schema/index.ts';

export interface Database {
  /** For SQL we write ourselves. */
  readonly sql: Sql;
  readonly db: PostgresJsDatabase<typeof schema>;
  /** Lets running queries end, for a few seconds, then closes every connection. */
  close(): Promise<void>;
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
  /** `false` where a pooler hands each transaction to another connection. */
  readonly prepare?: boolean;
}

/** Waits between attempts to reconnect; the library's own grow to 20 s, long after the database is back. */
const reconnectDelay_s = (attempts: number): number => Math.min(0.05 * 2 ** attempts, 0.3) * (0.75 + Math.random() / 2);

/** Opens no connection before the first query. */
export function createDatabase(url: string, options: DatabaseOptions = {}): Database {
  const connect = () =>
    postgres(url, {
      max: options.poolSize ?? 10,
      connect_timeout: options.connectTimeout_s ?? 10,
      backoff: reconnectDelay_s,
      prepare: options.prepare ?? true,
      onnotice: () => {},
      connection: {
        application_name: options.applicationName ?? 'inferboard',
        statement_timeout: options.statementTimeout_ms ?? 30_000,
        // Of solid-state disks: by the default, meant for turning ones, a page of fifty entries would be looked for in
        // whole tables.
        random_page_cost: 1.1,
      },
    });
  // Two clients, because drizzle rewires the date and JSON handling of the one it is given.
  const sql = connect();
  const drizzleClient = connect();
  return {
    sql,
    db: drizzle(drizzleClient, { casing: 'snake_case', schema }),
    close: async () => {
      await Promise.all([sql.end({ timeout: 5 }), drizzleClient.end({ timeout: 5 })]);
    },
  };
}

/** Resolves when the database answers, rejects when it does not. */
export async function ping(sql: Sql): Promise<void> {
  await sql`select 1`;
}
