import { noFilters } from '@inferboard/core/filters/filters';
import { metrics } from '@inferboard/core/metrics/index';
import { type UsageKind, usageOf } from '@inferboard/core/ranking/usage';
import { sql } from 'drizzle-orm';
import { texts } from '../bulk.ts';
import type { Database } from '../client.ts';
import { readPoints } from '../point-index/point-index.ts';

export type { UsageKind };

/** Names as they were written, of what the catalogue does not know. */
const names = {
  model: sql`s.model_name`,
  gpu: sql`s.gpu_name`,
  quantization: sql`s.quantization_name`,
  engine: sql`s.engine_name`,
  scenario: sql`''`,
} satisfies Record<UsageKind, unknown>;

const question = {
  needs: { values: [], figures: [], definitions: [] },
  filters: noFilters,
  ranked: metrics[0] as (typeof metrics)[number], // no filter asks of results
};

/** Values in use with the number of ranked points behind each, most used first. */
export async function countUsage(db: Database['db'], kind: UsageKind): Promise<{ value: string; points: number }[]> {
  const usages = await readPoints(
    db,
    question,
    (table) => usageOf(table, kind),
    async (tx, found) => {
      const unknown = found.filter(({ value }) => value === null).map(({ system }) => system);
      if (unknown.length === 0) return found;
      const rows = (await tx.execute(sql`
        select s.id, ${names[kind]} as name from systems s where s.id = any(${texts(unknown)})`)) as unknown as {
        id: string;
        name: string;
      }[];
      const nameOf = new Map(rows.map(({ id, name }) => [id, name]));
      return found.map((usage) => ({ ...usage, value: usage.value ?? nameOf.get(usage.system) ?? null }));
    },
  );
  return usages
    .flatMap(({ value, points }) => (value === null ? [] : [{ value, points }]))
    .sort((a, b) => b.points - a.points || (a.value < b.value ? -1 : 1));
}
