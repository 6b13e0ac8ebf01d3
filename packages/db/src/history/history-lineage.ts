import { type SQL, sql } from 'drizzle-orm';
import type { SystemRow } from '../boards/lists/row-types.ts';
import type { Queryable } from '../connection/transaction.ts';

// Each term matches an expression of the index systems_lineage: an id, or the fallback if the id is unknown.

/** True for a system `f` with the model and GPU of `s`. */
export const sameModelAndGpu: SQL = sql`
  coalesce(f.model_id, f.model_family, f.model_key) = coalesce(s.model_id, s.model_family, s.model_key)
  and coalesce(f.gpu_id, f.gpu_family, f.gpu_key) = coalesce(s.gpu_id, s.gpu_family, s.gpu_key)
  and f.model_id is not distinct from s.model_id
  and (s.model_id is not null or f.model_family is not distinct from s.model_family)
  and f.gpu_id is not distinct from s.gpu_id
  and (s.gpu_id is not null or f.gpu_family is not distinct from s.gpu_family)`;

/** True for a system `f` that equals `s` except for its engine version. */
export const sameLineage: SQL = sql`
  ${sameModelAndGpu}
  and coalesce(f.quantization_id, f.quantization_key) = coalesce(s.quantization_id, s.quantization_key)
  and coalesce(f.engine_id, f.engine_key) = coalesce(s.engine_id, s.engine_key)
  and f.quantization_id is not distinct from s.quantization_id
  and f.quantization_recipe @> s.quantization_recipe and f.quantization_recipe <@ s.quantization_recipe
  and f.engine_id is not distinct from s.engine_id
  and f.gpu_count is not distinct from s.gpu_count
  and f.gpu_power_limit_w is not distinct from s.gpu_power_limit_w
  and f.parallelism = s.parallelism and f.features = s.features`;

/** Maximum versions per lineage to read, the most recent ones. */
export const versionsMax = 200;

/** A system and those that equal it except for the engine version, unordered; empty if the system does not exist. */
export async function listLineage(db: Queryable, systemId: string): Promise<SystemRow[]> {
  const rows = (await db.execute(sql`
    select to_jsonb(f) as system from systems s join systems f on ${sameLineage}
    where s.id = ${systemId}
    order by f.id <> s.id, f.created_at desc, f.id limit ${versionsMax}`)) as unknown as { system: SystemRow }[];
  return rows.map(({ system }) => system);
}
