import { getTableColumns, getTableName } from 'drizzle-orm';
import { toSnakeCase } from 'drizzle-orm/casing';
import type { PgTable } from 'drizzle-orm/pg-core';

/**
 * How a dump treats a column. `public`: exports its values. `private`: exports nothing, and a restored row has the default or
 * null. `standIn`: exports nothing, and a restored row gets this SQL expression, because the column is required.
 */
type Exposure = 'public' | 'private' | { standIn: string };

/** A table that is partly readable over HTTP without authentication. */
export interface PublicTable {
  name: string;
  /** All columns, by database name. */
  declared: string[];
  /** The public columns, in the order of declaration. */
  columns: string[];
  /** Values of restored rows in columns that are not public. */
  standIns: { column: string; expression: string }[];
  /** Sort key for a reproducible row order. */
  key: string[];
  /** SQL condition on public rows; null if all are public. */
  rows: string | null;
}

const sqlName = (table: PgTable, field: string) => toSnakeCase(getTableColumns(table)[field]?.name ?? field);

/** Declares how a dump treats each column of a table. A column without a declaration does not compile. */
export function publicTable<T extends PgTable>(
  table: T,
  key: (keyof T['_']['columns'] & string)[],
  columns: Record<keyof T['_']['columns'] & string, Exposure>,
  rows: string | null = null,
): PublicTable {
  const exposures = Object.entries<Exposure>(columns);
  return {
    name: getTableName(table),
    declared: exposures.map(([field]) => sqlName(table, field)),
    columns: exposures.filter(([, exposure]) => exposure === 'public').map(([field]) => sqlName(table, field)),
    standIns: exposures.flatMap(([field, exposure]) =>
      typeof exposure === 'string' ? [] : [{ column: sqlName(table, field), expression: exposure.standIn }],
    ),
    key: key.map((field) => sqlName(table, field)),
    rows,
  };
}
