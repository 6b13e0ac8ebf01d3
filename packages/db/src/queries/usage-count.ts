import { sql } from 'drizzle-orm';
import type { Queryable } from '../transaction.ts';

/** Kinds of facts whose values a reader may filter by. */
export const usageColumns = {
  model: sql`coalesce(s.model_id, s.model_name)`,
  gpu: sql`coalesce(s.gpu_id, s.gpu_family, s.gpu_name)`,
  quantization: sql`case when cardinality(s.quantization_recipe) > 0 then s.quantization_name else coalesce(s.quantization_id, s.quantization_name) end`,
  engine: sql`coalesce(s.engine_id, s.engine_name)`,
  scenario: sql`sc.name`,
} as const;
export type UsageKind = keyof typeof usageColumns;

/** Values in use with the number of ranked points behind each, most used first. */
export async function countUsage(db: Queryable, kind: UsageKind): Promise<{ value: string; points: number }[]> {
  return (await db.execute(sql`
    select ${usageColumns[kind]} as value, count(distinct p.id)::int as points
    from point_statistics t
    join points p on p.id = t.point_id
    join systems s on s.id = p.system_id
    join scenarios sc on sc.id = p.scenario_id
    where t.status = 'accepted'
    group by 1 order by 2 desc, 1`)) as unknown as { value: string; points: number }[];
}
