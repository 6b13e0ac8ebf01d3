import type { Sql } from 'postgres';
import type { DataScope } from '../schema/data-versions.ts';

/** The version of each scope as text. Equal versions mean that the same transactions are visible. */
export type DataVersions = Readonly<Record<DataScope, string>>;

/** Reads the visible data versions. A standby that has replayed the same transactions returns the same text. */
export async function readDataVersions(sql: Sql): Promise<DataVersions> {
  // Runs before every cached response. Sums in columns cost half as much as a JSON object.
  const [versions] = await sql<[DataVersions]>`
    select coalesce(sum(n) filter (where scope = 'results'), 0)::text as results,
      coalesce(sum(n) filter (where scope = 'concerns'), 0)::text as concerns,
      coalesce(sum(n) filter (where scope = 'catalogue'), 0)::text as catalogue
    from data_versions`;
  return versions;
}
