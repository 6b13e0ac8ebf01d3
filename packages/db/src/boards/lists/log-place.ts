import type { Sql } from 'postgres';

/** A position in a cluster's write-ahead log, in bytes from its start. It denotes the same byte on all servers of the cluster. */
export interface LogPlace {
  /** Identifies the cluster; a physical copy has the same identifier. */
  system: string;
  place: number;
}

/** The flushed position of the primary. Every visible commit precedes it. */
export async function readWritten(sql: Sql): Promise<LogPlace> {
  const [row] = await sql<LogPlace[]>`
    select (pg_control_system()).system_identifier::text as system,
      pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::double precision as place`;
  if (row === undefined) throw new Error('the database returned no WAL position');
  return row;
}

/** The replayed position of a replica; null if the server is not a replica. */
export async function readReplayed(sql: Sql): Promise<LogPlace | null> {
  const [row] = await sql<(LogPlace & { place: number | null })[]>`
    select (pg_control_system()).system_identifier::text as system, case when pg_is_in_recovery()
      then pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::double precision end as place`;
  return row === undefined || row.place === null ? null : row;
}
