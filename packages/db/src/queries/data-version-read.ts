import type { Sql } from 'postgres';
import { type DataScope, dataScopes } from '../schema/data-versions.ts';

/** The version of each scope as text: where two are equal, the same transactions are visible. */
export type DataVersions = Readonly<Record<DataScope, string>>;

/**
 * The data versions that are visible now. The start of the server is part of them: after a failover the count may run
 * again through numbers that stood for other data.
 */
export async function readDataVersions(sql: Sql): Promise<DataVersions> {
  const [row] = await sql<{ versions: Partial<DataVersions> | null }[]>`
    select jsonb_object_agg(scope, extract(epoch from pg_postmaster_start_time()) || '-' || n) as versions
    from (select scope, sum(n) as n from data_versions group by scope) counted`;
  return Object.fromEntries(dataScopes.map((scope) => [scope, row?.versions?.[scope] ?? ''])) as Record<
    DataScope,
    string
  >;
}
