import { inArray, sql } from 'drizzle-orm';
import type { SystemRow } from '../boards/lists/row-types.ts';
import type { Queryable } from '../connection/transaction.ts';
import { systems } from '../schema/index.ts';

/** The version, the parallelism and the settings of an engine, of systems by id, in no order. Ids that do not exist are absent. */
export function listSettings(db: Queryable, ids: readonly string[]) {
  const { id, engineVersion, parallelism, features } = systems;
  return db
    .select({
      id,
      engineVersion,
      parallelism: sql<SystemRow['parallelism']>`${parallelism}`,
      features: sql<SystemRow['features']>`${features}`,
    })
    .from(systems)
    .where(inArray(id, [...ids]));
}
