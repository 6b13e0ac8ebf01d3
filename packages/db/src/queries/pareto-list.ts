import type { Filters } from '@inferboard/core/filters/filters';
import type { Metric } from '@inferboard/core/metrics/index';
import { type Frontier, findFrontier } from '@inferboard/core/ranking/frontier';
import { rankingNeeds } from '@inferboard/core/ranking/point-table';
import { sql } from 'drizzle-orm';
import { bigints } from '../bulk.ts';
import type { Database } from '../client.ts';
import { readPoints } from '../point-index/point-index.ts';
import { rowKeyOf } from '../point-index/row-key.ts';
import type { Queryable } from '../transaction.ts';
import type { LoadColumns, ScenarioRow, SystemRow } from './row-types.ts';

export interface PointFacts {
  point_id: number;
  load: LoadColumns;
  system: SystemRow;
  scenario: ScenarioRow;
}

/** A point by two of its figures, with what was measured there. */
export interface PlacedPoint extends PointFacts {
  x: number;
  y: number;
  isOnFrontier: boolean;
}

/** Points beside the frontier at most. */
const othersMax = 1000;

/** Points by two figures with those that no other beats, as `findFrontier` of core finds them. */
export function listFrontier(
  db: Database['db'],
  question: { x: Metric; y: Metric; filters: Filters },
): Promise<Omit<Frontier, 'shown'> & { points: PlacedPoint[] }> {
  const { x, y, filters } = question;
  const needs = {
    values: [...new Set([x, y].flatMap((metric) => rankingNeeds(metric, filters.bounds).values))],
    figures: [],
    definitions: [...new Set([x.family.base, y.family.base])],
  };
  return readPoints(
    db,
    { needs, filters, ranked: x },
    (table, sent) => {
      const { shown, ...frontier } = findFrontier(table, { ...question, sent }, othersMax);
      const [xs, ys] = [table.values(x.name), table.values(y.name)];
      const placed = shown.map(({ row, isOnFrontier }) => {
        return {
          pointId: rowKeyOf(table, row).pointId,
          x: xs[row] ?? Number.NaN,
          y: ys[row] ?? Number.NaN,
          isOnFrontier,
        };
      });
      return { ...frontier, placed };
    },
    async (tx, { placed, ...frontier }) => {
      const ids = placed.map(({ pointId }) => pointId);
      const facts = await listPointFacts(tx, ids);
      const points = placed.flatMap(({ pointId, ...point }) => {
        const known = facts.get(pointId);
        return known === undefined ? [] : [{ ...point, ...known }];
      });
      return { ...frontier, points };
    },
  );
}

/** What was measured at points, by their ids. */
export async function listPointFacts(db: Queryable, ids: readonly number[]): Promise<Map<number, PointFacts>> {
  const rows = (await db.execute(sql`
    select p.id::int as point_id, to_jsonb(s) as system, to_jsonb(sc) as scenario,
      jsonb_build_object('load_mode', p.load_mode, 'load_level', p.load_level, 'load_detail', p.load_detail,
        'kind', p.kind) as load
    from points p join systems s on s.id = p.system_id join scenarios sc on sc.id = p.scenario_id
    where p.id = any(${bigints(ids)})`)) as unknown as PointFacts[];
  return new Map(rows.map((row) => [row.point_id, row]));
}
