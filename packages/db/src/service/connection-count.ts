import type { Sql } from 'postgres';

export interface ConnectionCount {
  /** PostgreSQL's name of the state: `active`, `idle`, `idle in transaction` and so on. */
  state: string;
  connections: number;
}

/** Number of this application's connections to this database by state, including those of other processes. */
export async function countConnections(sql: Sql): Promise<ConnectionCount[]> {
  return sql<ConnectionCount[]>`
    select coalesce(state, 'unknown') as state, count(*)::int as connections
    from pg_stat_activity
    where datname = current_database() and application_name = current_setting('application_name')
    group by 1`;
}
