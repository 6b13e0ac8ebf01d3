import type { Sql } from 'postgres';

export interface ConnectionCount {
  /** As the database calls it: `active`, `idle`, `idle in transaction` and so on. */
  state: string;
  connections: number;
}

/** Connections of this application to this database by what they do, those of other processes included. */
export async function countConnections(sql: Sql): Promise<ConnectionCount[]> {
  return sql<ConnectionCount[]>`
    select coalesce(state, 'unknown') as state, count(*)::int as connections
    from pg_stat_activity
    where datname = current_database() and application_name = current_setting('application_name')
    group by 1`;
}
