import type { Sql } from 'postgres';
import type { DataScope } from '../schema/data-versions.ts';

/** The version of each scope as text: where two are equal, the same transactions are visible. */
export type DataVersions = Readonly<Record<DataScope, string>>;

/**
 * The data versions that are visible now. The start of the server is part of them: after a failover the count may run
 * again through numbers that stood for other data.
 */
export async function readDataVersions(sql: Sql): Promise<DataVersions> {
  // Asked before every answer that is kept: sums in columns cost half as much as an object of JSON.
  const [row] = await sql<[DataVersions & { started: string }]>`
    select extract(epoch from pg_postmaster_start_time())::text as started,
      coalesce(sum(n) filter (where scope = 'results'), 0)::text as results,
      coalesce(sum(n) filter (where scope = 'concerns'), 0)::text as concerns,
      coalesce(sum(n) filter (where scope = 'catalogue'), 0)::text as catalogue
    from data_versions`;
  const { started, results, concerns, catalogue } = row;
  return {
    results: `${started}-${results}`,
    concerns: `${started}-${concerns}`,
    catalogue: `${started}-${catalogue}`,
  };
}
