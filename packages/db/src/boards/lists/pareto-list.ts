import type { UsedFact } from '@inferboard/core/filters/fact-names';
import type { Filters } from '@inferboard/core/filters/filters';
import type { Metric } from '@inferboard/core/metrics/index';
import type { Choice } from '@inferboard/core/ranking/choice';
import { isBoundMetric, isWalked, signOf } from '@inferboard/core/ranking/walked';
import { type Axis, paretoFrontier } from '@inferboard/core/series/pareto';
import type { ResultStatus } from '@inferboard/core/subjects/result';
import type { Source } from '@inferboard/core/subjects/source';
import { type SQL, sql } from 'drizzle-orm';
import { mtokPerUsd } from '../../catalogue/gpu-price.ts';
import type { Database, Transaction } from '../../connection/client.ts';
import { executeOften } from '../../connection/statement.ts';
import { atOnce } from '../../connection/transaction.ts';
import { texts } from '../../copy/bulk.ts';
import { atOneMoment } from '../../service/moment.ts';
import { type BoardScope, resolveScope } from '../board-scope.ts';
import { factColumns } from '../derive.ts';
import { testedBy } from '../figures.ts';
import { countLeftOut, type LeftOut } from '../left-out.ts';
import { type Asking, sourceOf, statusesOf as statusesIn, takesPart } from '../source.ts';
import { onBoards, statusesOf } from '../walk-board.ts';
import { and } from './filter-conditions.ts';
import { listPointFacts, type PointFacts } from './point-facts.ts';
import { listPointSources, sourcesKey } from './point-sources.ts';
import { type Evaluation, findEvaluation, joinScore, type ScoreAxis } from './score-axis.ts';
import { readWorkload, type WorkloadChoice } from './workload-facts.ts';

/** A point with the values of two metrics and the measured configuration. */
export interface PlacedPoint extends PointFacts {
  x: number;
  y: number;
  isOnFrontier: boolean;
  /** Publications of its imported results; empty unless the question is `withSources`. */
  sources: readonly Source[];
}

/** Maximum points in addition to the frontier. */
const othersMax = 1000;

export interface Frontier extends LeftOut {
  /** Sorted by x, then y, then point: the whole frontier, and the best other points by y. */
  points: PlacedPoint[];
  workload: WorkloadChoice | null;
  /** The compared formulas; null for a metric with one formula. */
  xDefinition: Choice | null;
  yDefinition: Choice | null;
  /** The method of the scores on an axis; null without such an axis, or if nothing was evaluated. */
  evaluation: Evaluation | null;
}

interface FrontierQuestion {
  x: Metric;
  y: Metric;
  filters: Filters;
  definition: string | null;
  /** Axes in dollars per million tokens at the prices of the filters. Their metric is tokens per GPU. */
  costs?: readonly ('x' | 'y')[];
  /** The axis of scores by a task. Its metric is `score`. */
  score?: ScoreAxis | null;
  /** Returns only the frontier for each model, GPU or other fact; null returns all points. */
  frontierOf?: UsedFact | null;
  /** Whether to count all excluded points, without a limit. */
  countsAll?: boolean;
  /** Whether to read the sources of the points. */
  withSources?: boolean;
}

/** A point by two values, with signs set so that higher is better. */
interface TurnedPoint {
  pointId: number;
  status: ResultStatus;
  x: number;
  y: number;
  /** The value that groups points into separate frontiers; null for one frontier over all points. */
  fact: string | null;
  isNumbered: boolean;
  /** False if another point is known to dominate it. */
  isNear: boolean;
  total: number;
  /** Points without a score. */
  unscored: number;
}

/** Rows `r` of points with the metrics of both axes, and expressions for the second metric and for a fact. */
interface Rows {
  from: SQL;
  where: SQL[];
  columnOf: (metric: Metric) => SQL;
  factOf: (fact: UsedFact) => SQL;
}

const factOfSystem = (fact: UsedFact): SQL =>
  sql`(select ${factColumns[fact]} from systems s where s.id = r.system_id)`;

/** The rows of one board, if they have all that is asked. Null otherwise. */
function rowsOfBoard(asking: Asking, scope: BoardScope): Rows | null {
  const [metric, ...others] = asking.metrics;
  const [board, ...more] = scope.boards.filter((one) => one.metric !== '');
  // Rows of the first metric have one formula each. If the second metric has several, its formulas must be read.
  const isByOne = scope.chosen.slice(1).every((group) => group === null);
  if (metric === undefined || !isWalked(metric) || board === undefined || more.length > 0 || !isByOne) return null;
  if (!others.every(({ name }) => isBoundMetric(name))) return null;
  const tested = testedBy(asking, statusesIn(asking.filters), sql`r`);
  if (tested === null) return null;
  const columnOf = ({ name }: Metric) => sql`r.${sql.identifier(name)}`;
  return {
    from: sql`(select o.*, ${board.group}::text as definition_group from board_rows o) r ${tested.joins}`,
    where: [
      sql`r.board_id = ${board.id}`,
      ...tested.where,
      ...others.map((other) => sql`${columnOf(other)} is not null`),
      takesPart(asking, sourceOf(asking)),
    ],
    columnOf,
    factOf: (fact) => (fact === 'model' || fact === 'gpu' ? sql`r.${sql.identifier(fact)}` : factOfSystem(fact)),
  };
}

/** Rows that are joined with the statistics of their points. */
function rowsOfStatistics(asking: Asking, scope: BoardScope): Rows {
  const source = sourceOf(asking);
  return {
    from: source.from,
    where: [...source.where, onBoards(asking, scope), takesPart(asking, source)],
    columnOf: ({ name }) => sql`t.${sql.identifier(name)}`,
    factOf: factOfSystem,
  };
}

const rowsOf = (asking: Asking, scope: BoardScope): Rows =>
  rowsOfBoard(asking, scope) ?? rowsOfStatistics(asking, scope);

/** Reads points that may be on the frontier, and the best other points by y. */
async function readTurned(
  tx: Transaction,
  { y, costs = [], score = null, frontierOf = null, filters: { prices = [] } }: FrontierQuestion,
  { asking, scope, evaluation }: { asking: Asking; scope: BoardScope; evaluation: Evaluation | null },
): Promise<TurnedPoint[]> {
  const { from, where, columnOf, factOf } = rowsOf(asking, scope);
  const priced = (axis: 'x' | 'y', worth: SQL) =>
    costs.includes(axis) ? sql`(${worth} * ${mtokPerUsd(prices)})` : worth;
  // Rows are those of the first metric, which is `y` if the other axis has scores.
  const first = score?.axis === 'x' ? sql`own.score` : priced('x', sql`r.worth`);
  const second =
    score === null
      ? priced('y', sql`${sql.raw(String(signOf(y)))} * ${columnOf(y)}`)
      : score.axis === 'y'
        ? sql`own.score`
        : priced('y', sql`r.worth`);
  const scored = score === null || evaluation === null ? sql`` : joinScore(score, evaluation);
  // Zero throughput has no cost.
  const isOut = costs.map((axis) => sql`${axis === 'x' ? first : second} > 0`);
  const fact = frontierOf === null ? sql`null` : factOf(frontierOf);
  return await executeOften<TurnedPoint>(
    tx,
    sql`
    with taking as materialized (
      select r.point_id::float8 as "pointId", r.status, ${first} as x, ${second} as y, ${fact} as fact,
        r.status = any(${texts(statusesOf(asking, true))}) as "isNumbered"
      from ${from} ${scored} where ${and([...where, ...isOut])}),
    judged as (
      select *, "isNumbered" and y >= coalesce(max(y) filter (where "isNumbered") over (
          partition by fact order by x desc, y desc rows between unbounded preceding and 1 preceding), y) as "isNear",
        count(*) over ()::int as total, (select count(*) from taking where x is null or y is null)::int as unscored
      from taking where x is not null and y is not null)
    (select * from judged where "isNear")
    union all
    (select * from judged where not "isNear" order by y desc, "isNumbered" desc, "pointId" limit ${frontierOf === null ? othersMax : 0})`,
  );
}

const byFirst: [Axis<TurnedPoint>, Axis<TurnedPoint>] = [
  { of: ({ x }) => x, better: 'higher' },
  { of: ({ y }) => y, better: 'higher' },
];

/** The frontier, and the best other points by y. */
function withOthers(frontier: ReadonlySet<TurnedPoint>, turned: readonly TurnedPoint[]): TurnedPoint[] {
  const others = turned
    .filter((point) => !frontier.has(point))
    .sort((a, b) => b.y - a.y || Number(b.isNumbered) - Number(a.isNumbered) || a.pointId - b.pointId);
  return [...frontier, ...others.slice(0, othersMax)];
}

const frontierOfEach = (near: readonly TurnedPoint[]): TurnedPoint[] =>
  [...Map.groupBy(near, ({ fact }) => fact).values()].flatMap((of) => paretoFrontier(of, byFirst));

/** The formulas of each axis. An axis of scores has none. */
const definitionsOf = (score: ScoreAxis | null, [first = null, second = null]: readonly (Choice | null)[]) =>
  score?.axis === 'x'
    ? { xDefinition: null, yDefinition: first }
    : { xDefinition: first, yDefinition: score === null ? second : null };

/**
 * The points of one workload by two metrics, and the Pareto frontier. Each point enters once. Results that do not rank are
 * shown if included, but are never on a frontier.
 */
export function listFrontier(db: Database['db'], question: FrontierQuestion): Promise<Frontier> {
  const { x, y, filters, definition, costs = [], score = null, frontierOf = null, countsAll = false } = question;
  const { withSources = false } = question;
  const metrics = score === null ? [x, y] : [score.axis === 'x' ? y : x];
  const asking = {
    kind: (metrics[0] ?? x).family.kind,
    metrics,
    filters,
    definition,
    countsAll,
    dimensions: ['system' as const],
  };
  return atOneMoment(db, async (tx) => {
    const scope = await resolveScope(tx, asking);
    const { workload, definitions } = scope;
    const evaluation = score === null ? null : await findEvaluation(tx, score, filters);
    const hasNone = scope.workloads.length === 0 || (score !== null && evaluation === null);
    const [{ excluded, isExcludedAtLeast }, turned, chosen] = await atOnce([
      countLeftOut(tx, asking, scope),
      hasNone ? [] : readTurned(tx, question, { asking, scope, evaluation }),
      readWorkload(tx, workload),
    ]);
    const near = turned.filter(({ isNear }) => isNear);
    const frontier = new Set(paretoFrontier(near, byFirst));
    const shown = frontierOf === null ? withOthers(frontier, turned) : frontierOfEach(near);
    const { total = 0, unscored = 0 } = turned[0] ?? {};
    const [facts, sources] = await atOnce([
      listPointFacts(
        tx,
        shown.map(({ pointId }) => pointId),
      ),
      withSources ? listPointSources(tx, shown) : new Map<string, Source[]>(),
    ]);
    const beyond = total - shown.length;
    const left = frontierOf === null ? 'beyond_limit' : 'off_frontier';
    const points = shown.flatMap((point): PlacedPoint[] => {
      const known = facts.get(point.pointId);
      if (known === undefined) return [];
      // Normalizes -0 to 0.
      const back = (axis: 'x' | 'y', metric: Metric) =>
        costs.includes(axis) ? 1 / point[axis] : point[axis] * signOf(metric) + 0;
      return [
        {
          ...known,
          x: back('x', x),
          y: back('y', y),
          isOnFrontier: frontier.has(point),
          sources: sources.get(sourcesKey(point)) ?? [],
        },
      ];
    });
    points.sort((a, b) => a.x - b.x || a.y - b.y || a.point_id - b.point_id);
    return {
      points,
      workload: chosen,
      ...definitionsOf(score, definitions),
      evaluation,
      isExcludedAtLeast,
      excluded: {
        ...excluded,
        ...(beyond > 0 && { [left]: beyond }),
        ...(unscored > 0 && { not_evaluated: unscored }),
      },
    };
  });
}
