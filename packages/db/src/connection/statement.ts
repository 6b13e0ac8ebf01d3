import { fillPlaceholders, type Query, type SQL, sql } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import type { Queryable } from './transaction.ts';

const dialect = new PgDialect({ casing: 'snake_case' });

/** The text of a statement and its parameters, in the driver's format. */
export const toQuery = (query: SQL): Query => dialect.sqlToQuery(query);

/** A named parameter of a prepared statement. */
export const value = (name: string) => sql.placeholder(name);

/** Runs a prepared statement with parameters. PostgreSQL may choose a custom plan for unusual values. */
export type Prepared<Values, Row> = (
  db: Queryable,
  values: Values,
  options?: { isUnusual?: boolean },
) => Promise<Row[]>;

/**
 * A statement with fixed text and parameters `value(name)`. Its text is built once, and each connection prepares it once. Later
 * calls take one round trip without planning. Never prepare a statement whose text depends on input, because the server keeps
 * each text until the connection ends. Behind a pooler, statements are not prepared.
 */
export function prepared<Values extends Record<string, unknown>, Row = never>(query: SQL): Prepared<Values, Row> {
  let built: Query | undefined;
  return async (db, values, { isUnusual = false } = {}) => {
    built ??= toQuery(query);
    const params = fillPlaceholders(built.params, values) as string[];
    return (await db.$client.unsafe(built.sql, params, { prepare: !isUnusual })) as unknown as Row[];
  };
}

/** Maximum number of texts that `executeOften` prepares, because each connection keeps each of them. */
const oftenMost = 200;
const often = new Set<string>();

/**
 * Runs a statement whose text depends on the request, such as its metrics. Prepares the first texts that the process builds:
 * these take one round trip instead of two, and are not planned again.
 */
export async function executeOften<Row>(db: Queryable, query: SQL): Promise<Row[]> {
  const { sql: text, params } = toQuery(query);
  if (often.size < oftenMost) often.add(text);
  return (await db.$client.unsafe(text, params as string[], { prepare: often.has(text) })) as unknown as Row[];
}
