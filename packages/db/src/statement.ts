import { fillPlaceholders, type Query, type SQL, sql } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import { PostgresJsSession } from 'drizzle-orm/postgres-js';
import type { Sql } from 'postgres';
import type { Queryable } from './transaction.ts';

const dialect = new PgDialect({ casing: 'snake_case' });

/** The text of a statement and its values, as the driver takes them. */
export const toQuery = (query: SQL): Query => dialect.sqlToQuery(query);

/** The driver's client of a pool, or of a transaction. */
export function clientOf(db: Queryable): Sql {
  const { session } = db._ as { session?: unknown };
  if (!(session instanceof PostgresJsSession)) throw new TypeError('not a connection of postgres.js');
  return session.client;
}

/** A value of a prepared statement, by its name. */
export const value = (name: string) => sql.placeholder(name);

/** Runs a prepared statement with these values; where they are unusual, it is planned for them. */
export type Prepared<Values, Row> = (
  db: Queryable,
  values: Values,
  options?: { isUnusual?: boolean },
) => Promise<Row[]>;

/**
 * A statement with a fixed text, whose values are `value(name)`. Its text is built once, and each connection prepares it
 * once: from then on it takes one round trip and no planning. A statement whose text depends on its input must not be
 * prepared, because the server keeps each text until the connection ends. Behind a pooler nothing is prepared.
 */
export function prepared<Values extends Record<string, unknown>, Row = never>(query: SQL): Prepared<Values, Row> {
  let built: Query | undefined;
  return async (db, values, { isUnusual = false } = {}) => {
    built ??= toQuery(query);
    const params = fillPlaceholders(built.params, values) as string[];
    return (await clientOf(db).unsafe(built.sql, params, { prepare: !isUnusual })) as unknown as Row[];
  };
}
