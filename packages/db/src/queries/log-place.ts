import type { Sql } from 'postgres';

/** How far the log of a cluster reaches, in bytes from its beginning: the same byte on all servers of a cluster. */
export interface LogPlace {
  /** Names the cluster; a copy of it has the same. */
  system: string;
  place: number;
}

/** What is safe on the disk of the primary: every commit that anyone has seen there is before it. */
export async function readWritten(sql: Sql): Promise<LogPlace> {
  const [row] = await sql<LogPlace[]>`
    select (pg_control_system()).system_identifier::text as system,
      pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::double precision as place`;
  if (row === undefined) throw new Error('the database did not say how far its log is written');
  return row;
}

/** What a replica has taken over; null where the server is none. */
export async function readReplayed(sql: Sql): Promise<LogPlace | null> {
  const [row] = await sql<(LogPlace & { place: number | null })[]>`
    select (pg_control_system()).system_identifier::text as system, case when pg_is_in_recovery()
      then pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::double precision end as place`;
  return row === undefined || row.place === null ? null : row;
}
