import { type SQL, sql } from 'drizzle-orm';

// Aliases as in filter-conditions.ts: s systems, sc scenarios, p points.

/** What points may be grouped by, and how they are told apart by it: what has no id by its name. */
export const dimensionKeys = {
  model: sql`coalesce(s.model_id, s.model_family, s.model_key)`,
  model_family: sql`coalesce(s.model_family, s.model_key)`,
  quantization: sql`coalesce(s.quantization_id, s.quantization_key)`,
  gpu: sql`coalesce(s.gpu_id, s.gpu_family, s.gpu_key)`,
  gpu_count: sql`coalesce(s.gpu_count::text, '')`,
  engine: sql`coalesce(s.engine_id, s.engine_key)`,
  scenario: sql`sc.name`,
  system: sql`p.system_id`,
  load: sql`p.load_mode || ' ' || coalesce(p.load_level::text, '')`,
} satisfies Record<string, SQL>;

export type Dimension = keyof typeof dimensionKeys;
export const dimensions = Object.keys(dimensionKeys) as [Dimension, ...Dimension[]];
