import type { Filters } from '@inferboard/core/filters/filters';
import type { Metric } from '@inferboard/core/metrics/index';
import { sql } from 'drizzle-orm';
import type { Queryable } from '../transaction.ts';
import {
  and,
  boundConditions,
  pointConditions,
  someResult,
  statusCondition,
  trustCondition,
} from './filter-conditions.ts';
import type { LoadColumns, ScenarioRow, SystemRow } from './row-types.ts';

/** A point by two of its figures. */
export interface PlacedPoint {
  point_id: number;
  status: string;
  variant: number;
  x: number;
  y: number;
  /** The formula behind each; null where its metric has one. */
  x_definition: string | null;
  y_definition: string | null;
}

/** Points read at most: more than any chart can show, and as many as a process can hold. */
export const placedPointsMax = 50_000;

/** Every point that meets the filters and has both figures, once for each formula; `isCut` where there are more. */
export async function listPlacedPoints(
  db: Queryable,
  { x, y, filters }: { x: Metric; y: Metric; filters: Filters },
): Promise<{ points: PlacedPoint[]; isCut: boolean }> {
  const [xs, ys] = [sql`t.${sql.identifier(x.name)}`, sql`t.${sql.identifier(y.name)}`];
  const rows = (await db.execute(sql`
    select t.point_id::int, t.status, t.variant, ${xs} as x, ${ys} as y,
      t.definitions ->> ${x.family.base} as x_definition, t.definitions ->> ${y.family.base} as y_definition
    from point_statistics t
    join points p on p.id = t.point_id
    join systems s on s.id = p.system_id
    join scenarios sc on sc.id = p.scenario_id
    where p.kind = ${x.family.kind} and ${xs} is not null and ${ys} is not null and ${and([
      statusCondition(filters),
      trustCondition(filters),
      ...pointConditions(filters),
      ...someResult(filters, x),
      ...boundConditions(filters.bounds),
    ])}
    order by t.point_id, t.status, t.variant
    limit ${placedPointsMax + 1}`)) as unknown as PlacedPoint[];
  return { points: rows.slice(0, placedPointsMax), isCut: rows.length > placedPointsMax };
}

export interface PointFacts {
  point_id: number;
  load: LoadColumns;
  system: SystemRow;
  scenario: ScenarioRow;
}

/** What was measured at points, by their ids. */
export async function listPointFacts(db: Queryable, ids: readonly number[]): Promise<Map<number, PointFacts>> {
  const rows = (await db.execute(sql`
    select p.id::int as point_id, to_jsonb(s) as system, to_jsonb(sc) as scenario,
      jsonb_build_object('load_mode', p.load_mode, 'load_level', p.load_level, 'load_detail', p.load_detail,
        'kind', p.kind) as load
    from points p join systems s on s.id = p.system_id join scenarios sc on sc.id = p.scenario_id
    where p.id = any(${`{${ids.join(',')}}`}::bigint[])`)) as unknown as PointFacts[];
  return new Map(rows.map((row) => [row.point_id, row]));
}
