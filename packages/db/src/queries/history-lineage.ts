import { type SQL, sql } from 'drizzle-orm';
import type { Queryable } from '../transaction.ts';
import type { SystemRow } from './row-types.ts';

// Each follows an expression of the index systems_lineage: an id, else what is known instead of it.

/** True of a system `f` with the model and the GPU of `s`. */
export const sameModelAndGpu: SQL = sql`
  coalesce(f.model_id, f.model_family, f.model_key) = coalesce(s.model_id, s.model_family, s.model_key)
  and coalesce(f.gpu_id, f.gpu_family, f.gpu_key) = coalesce(s.gpu_id, s.gpu_family, s.gpu_key)
  and f.model_id is not distinct from s.model_id
  and (s.model_id is not null or f.model_family is not distinct from s.model_family)
  and f.gpu_id is not distinct from s.gpu_id
  and (s.gpu_id is not null or f.gpu_family is not distinct from s.gpu_family)`;

/** True of a system `f` that equals `s` in everything but the version of its engine. */
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

/** Versions of one lineage that are looked at, those that became known last. */
export const versionsMax = 200;

/** A system and those that equal it in everything but the version of their engine, in no order; empty if there is none. */
export async function listLineage(db: Queryable, systemId: string): Promise<SystemRow[]> {
  const rows = (await db.execute(sql`
    select to_jsonb(f) as system from systems s join systems f on ${sameLineage}
    where s.id = ${systemId}
    order by f.id <> s.id, f.created_at desc, f.id limit ${versionsMax}`)) as unknown as { system: SystemRow }[];
  return rows.map(({ system }) => system);
}
