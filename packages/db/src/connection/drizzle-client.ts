import { PgDialect } from 'drizzle-orm/pg-core';
import { drizzle, type PostgresJsDatabase, PostgresJsSession, PostgresJsTransaction } from 'drizzle-orm/postgres-js';
import type { Sql, TransactionSql } from 'postgres';

type NoTables = Record<string, never>;
type TransactionConfig = Parameters<PostgresJsDatabase['transaction']>[1];

/** A transaction. `$client` sends statements that drizzle does not build. */
export interface Transaction extends Omit<PostgresJsTransaction<NoTables, NoTables>, 'transaction'> {
  readonly $client: TransactionSql;
  /** Runs the work in a savepoint. */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
}

/** The pool. `$client` sends statements that drizzle does not build. */
export interface Drizzle extends Omit<PostgresJsDatabase, 'transaction'> {
  readonly $client: Sql;
  transaction<T>(work: (tx: Transaction) => Promise<T>, config?: TransactionConfig): Promise<T>;
}

const casing = 'snake_case';
const dialect = new PgDialect({ casing });

function openTransaction(client: TransactionSql, depth = 0): Transaction {
  type Both = Sql & TransactionSql; // drizzle's type requires the methods of a pool, which a transaction does not use
  const session = new PostgresJsSession<Both, NoTables, NoTables>(client as Both, dialect, undefined);
  const tx = new PostgresJsTransaction(dialect, session, undefined, depth);
  return Object.assign(tx, {
    $client: client,
    transaction: <T>(work: (tx: Transaction) => Promise<T>) =>
      client.savepoint((inner) => work(openTransaction(inner, depth + 1))) as Promise<T>,
  });
}

/** drizzle over a client. Its transactions have their own client, which drizzle's do not publish. */
export function openDrizzle(client: Sql): Drizzle {
  return Object.assign(drizzle(client, { casing }), {
    transaction: <T>(work: (tx: Transaction) => Promise<T>, config?: TransactionConfig) =>
      client.begin(async (inner) => {
        const tx = openTransaction(inner);
        if (config) await tx.setTransaction(config);
        return work(tx);
      }) as Promise<T>,
  });
}
