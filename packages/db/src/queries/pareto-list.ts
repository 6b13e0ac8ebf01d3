import type { UsedFact } from '@inferboard/core/filters/fact-names';
import type { Filters } from '@inferboard/core/filters/filters';
import type { Metric } from '@inferboard/core/metrics/index';
import type { Choice } from '@inferboard/core/ranking/choice';
import { signOf } from '@inferboard/core/ranking/walked';
import { type Axis, paretoFrontier } from '@inferboard/core/series/pareto';
import { type SQL, sql } from 'drizzle-orm';
import { factColumns } from '../boards/derive.ts';
import { countLeftOut, type LeftOut } from '../boards/left-out.ts';
import { type SettledBoard, settleBoard } from '../boards/settle.ts';
import { type Asking, isOfFigures, sourceOf, statusesOf as statusesIn, takesPart } from '../boards/source.ts';
import { onBoards, statusesOf } from '../boards/walk-board.ts';
import { bigints, texts } from '../bulk.ts';
import type { Database, Transaction } from '../client.ts';
import { atOnce, type Queryable } from '../transaction.ts';
import { and } from './filter-conditions.ts';
import { mtokPerUsd } from './gpu-price.ts';
import { atOneMoment } from './leaderboard-list.ts';
import type { LoadColumns, ScenarioRow, SystemRow } from './row-types.ts';
import { readWorkload, type WorkloadChoice } from './workload-facts.ts';

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

export interface Frontier extends LeftOut {
  /** By x, then y, then point: the whole frontier, and of the others the best by y. */
  points: PlacedPoint[];
  workload: WorkloadChoice | null;
  /** The formulas that are compared; null where a metric has one. */
  xDefinition: Choice | null;
  yDefinition: Choice | null;
}

interface FrontierQuestion {
  x: Metric;
  y: Metric;
  filters: Filters;
  definition: string | null;
  /** Axes that are dollars per million tokens at the prices of the filters; their metric is tokens per GPU. */
  costs?: readonly ('x' | 'y')[];
  /** Of each model, GPU ... the frontier, and nothing else; null for all points. */
  frontierOf?: UsedFact | null;
  /** Whether points left out are counted to the last, however many. */
  countsAll?: boolean;
}

/** A point by two figures, turned so that more is better. */
interface TurnedPoint {
  pointId: number;
  status: string;
  x: number;
  y: number;
  /** What has a frontier of its own; null where all points have one together. */
  fact: string | null;
  isNumbered: boolean;
  /** False of what some other point surely beats. */
  isNear: boolean;
  total: number;
}

/** Points that may be on the frontier, and of the others the best by y. */
async function readTurned(
  tx: Transaction,
  { y, costs = [], frontierOf = null, filters: { prices = [] } }: FrontierQuestion,
  { asking, settled }: { asking: Asking; settled: SettledBoard },
): Promise<TurnedPoint[]> {
  const on = onBoards(asking, settled);
  // Rows of the first metric's boards have one formula each; where the second has several, they have to be read.
  const isByOne = settled.chosen.slice(1).every((group) => group === null);
  const [all, ...more] = settled.boards.filter(({ metric }) => metric === '');
  const isNarrow = isByOne && isOfFigures(asking) && more.length === 0;
  const source = sourceOf(asking, statusesIn(asking.filters), (isNarrow ? all : null) ?? null);
  const priced = (axis: 'x' | 'y', worth: SQL) =>
    costs.includes(axis) ? sql`(${worth} * ${mtokPerUsd(prices)})` : worth;
  const first = priced('x', sql`r.worth`);
  const second = priced('y', sql`${sql.raw(String(signOf(y)))} * t.${sql.identifier(y.name)}`);
  // What puts out nothing has no cost.
  const isOut = costs.map((axis) => sql`${axis === 'x' ? first : second} > 0`);
  const fact =
    frontierOf === null ? sql`null` : sql`(select ${factColumns[frontierOf]} from systems s where s.id = r.system_id)`;
  return (await tx.execute(sql`
    with taking as materialized (
      select r.point_id::float8 as "pointId", r.status, ${first} as x, ${second} as y, ${fact} as fact,
        r.status = any(${texts(statusesOf(asking, true))}) as "isNumbered"
      from ${source.from} where ${and([...source.where, on, takesPart(asking, source), ...isOut])}),
    judged as (
      select *, "isNumbered" and y >= coalesce(max(y) filter (where "isNumbered") over (
          partition by fact order by x desc, y desc rows between unbounded preceding and 1 preceding), y) as "isNear",
        count(*) over ()::int as total
      from taking)
    (select * from judged where "isNear")
    union all
    (select * from judged where not "isNear" order by y desc, "isNumbered" desc, "pointId" limit ${frontierOf === null ? othersMax : 0})`)) as unknown as TurnedPoint[];
}

const byFirst: [Axis<TurnedPoint>, Axis<TurnedPoint>] = [
  { of: ({ x }) => x, better: 'higher' },
  { of: ({ y }) => y, better: 'higher' },
];

/** The frontier, and of the other points the best by y. */
function withOthers(frontier: ReadonlySet<TurnedPoint>, turned: readonly TurnedPoint[]): TurnedPoint[] {
  const others = turned
    .filter((point) => !frontier.has(point))
    .sort((a, b) => b.y - a.y || Number(b.isNumbered) - Number(a.isNumbered) || a.pointId - b.pointId);
  return [...frontier, ...others.slice(0, othersMax)];
}

const frontierOfEach = (near: readonly TurnedPoint[]): TurnedPoint[] =>
  [...Map.groupBy(near, ({ fact }) => fact).values()].flatMap((of) => paretoFrontier(of, byFirst));

/**
 * Points of one workload by two figures, with those that no other beats on both. Each point enters once. What does not
 * rank is shown where it is included, and is on no frontier.
 */
export function listFrontier(db: Database['db'], question: FrontierQuestion): Promise<Frontier> {
  const { x, y, filters, definition, costs = [], frontierOf = null, countsAll = false } = question;
  const asking = {
    kind: x.family.kind,
    metrics: [x, y],
    filters,
    definition,
    countsAll,
    dimensions: ['system' as const],
  };
  return atOneMoment(db, async (tx) => {
    const settled = await settleBoard(tx, asking);
    const { workload, definitions } = settled;
    const hasNone = settled.workloads.length === 0;
    const [{ excluded, isExcludedAtLeast }, turned, chosen] = await atOnce([
      countLeftOut(tx, asking, settled),
      hasNone ? [] : readTurned(tx, question, { asking, settled }),
      readWorkload(tx, workload),
    ]);
    const near = turned.filter(({ isNear }) => isNear);
    const frontier = new Set(paretoFrontier(near, byFirst));
    const shown = frontierOf === null ? withOthers(frontier, turned) : frontierOfEach(near);
    const total = turned[0]?.total ?? 0;
    const facts = await listPointFacts(
      tx,
      shown.map(({ pointId }) => pointId),
    );
    const beyond = total - shown.length;
    const left = frontierOf === null ? 'beyond_limit' : 'off_frontier';
    const points = shown.flatMap((point): PlacedPoint[] => {
      const known = facts.get(point.pointId);
      if (known === undefined) return [];
      // 0 and not -0.
      const back = (axis: 'x' | 'y', metric: Metric) =>
        costs.includes(axis) ? 1 / point[axis] : point[axis] * signOf(metric) + 0;
      return [{ ...known, x: back('x', x), y: back('y', y), isOnFrontier: frontier.has(point) }];
    });
    points.sort((a, b) => a.x - b.x || a.y - b.y || a.point_id - b.point_id);
    return {
      points,
      workload: chosen,
      xDefinition: definitions[0] ?? null,
      yDefinition: definitions[1] ?? null,
      isExcludedAtLeast,
      excluded: beyond === 0 ? excluded : { ...excluded, [left]: beyond },
    };
  });
}

type StoredPoint = LoadColumns & { id: number; system_id: string; scenario_id: number };

interface StoredFacts {
  points: readonly StoredPoint[];
  systems: readonly SystemRow[];
  scenarios: readonly (ScenarioRow & { id: number })[];
}

/**
 * What was measured at points, by their ids. Each system and scenario comes once and is the same object at all its points:
 * spelt out for each of a thousand points they would be most of what the database does for a chart.
 */
export async function listPointFacts(db: Queryable, ids: readonly number[]): Promise<Map<number, PointFacts>> {
  const [stored] = (await db.execute(sql`
    with asked as materialized (
      select p.id, p.system_id, p.scenario_id, p.load_mode, p.load_level, p.load_detail, p.kind
      from points p where p.id = any(${bigints(ids)}))
    select (select coalesce(json_agg(a), '[]') from asked a) as points,
      (select coalesce(json_agg(s), '[]') from systems s where s.id in (select system_id from asked)) as systems,
      (select coalesce(json_agg(sc), '[]') from scenarios sc where sc.id in (select scenario_id from asked)) as scenarios`)) as unknown as StoredFacts[];
  const systems = new Map(stored?.systems.map((system) => [system.id, system]));
  const scenarios = new Map(stored?.scenarios.map((scenario) => [scenario.id, scenario]));
  return new Map(
    stored?.points.flatMap(({ id, system_id, scenario_id, ...load }): [number, PointFacts][] => {
      const [system, scenario] = [systems.get(system_id), scenarios.get(scenario_id)];
      return system && scenario ? [[id, { point_id: id, load, system, scenario }]] : [];
    }),
  );
}
