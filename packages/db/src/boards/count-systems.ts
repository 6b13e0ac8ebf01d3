import { familyOfMetric, type Metric, type MetricName } from '@inferboard/core/metrics/index';
import type { ChosenDefinitions, CountedGroups } from '@inferboard/core/ranking/formulas';
import { isBoundMetric } from '@inferboard/core/ranking/walked';
import { type SQL, sql } from 'drizzle-orm';
import { executeOften } from '../connection/statement.ts';
import type { Queryable } from '../connection/transaction.ts';
import { ints, texts } from '../copy/bulk.ts';
import { groupOf, hasRanked } from './derive.ts';
import type { ListedBoard } from './directory.ts';
import { countFigures, figuresOf } from './figures.ts';
import { and } from './lists/filter-conditions.ts';
import { type Asking, isPlain, type Source, sourceOf } from './source.ts';

/** The formula group of each metric, from rows `r` and their statistics `t`. */
function groupsOf([first, ...others]: readonly Metric[]): SQL[] {
  return first === undefined ? [] : [sql`r.definition_group`, ...others.map(({ family }) => groupOf(family, sql`t`))];
}

/** True for rows by these formulas; a metric with null allows any formula. */
export const ofAsked = (metrics: readonly Metric[], asked: readonly (ChosenDefinitions | null)[]): SQL =>
  and(
    groupsOf(metrics).flatMap((group, at) => {
      const wanted = asked[at] ?? null;
      return wanted === null ? [] : [sql`${group} = ${wanted.group}`];
    }),
  );

/** Counts the distinct systems that are best on some boards of a workload, even if they have values by several formulas. */
export async function countTogether(
  db: Queryable,
  { kind }: Asking,
  { metrics, workloads }: { metrics: readonly MetricName[]; workloads: readonly string[] },
): Promise<Map<string, number>> {
  const rows = await executeOften<{ workload: string; systems: number }>(
    db,
    sql`
    select b.workload, count(distinct r.system_id)::int as systems
    from boards b join board_rows r on r.board_id = b.id and r.is_best and r.unnamed = 0
    where b.metric = any(${texts(metrics)}) and b.kind = ${kind} and b.workload = any(${texts(workloads)})
    group by 1`,
  );
  return new Map(rows.map(({ workload, systems }) => [workload, systems]));
}

/** Maximum points to sample when the share of systems with a metric is estimated. */
const samplePoints = 2000;
/** The same for tables of several workloads, whose first points may all be of one publication. */
const samplePointsOfAll = 20_000;

/** Whether a workload has at least `least` rankable points. */
export async function hasPoints(
  db: Queryable,
  asking: Asking,
  asked: readonly (ChosenDefinitions | null)[],
  { workload, all, least }: { workload: string; all: number; least: number },
): Promise<boolean> {
  const figures = asked.some((group) => group !== null) ? null : figuresOf(asking);
  const source = sourceOf(asking);
  const points =
    figures === null
      ? sql`
        select 1 from ${source.from}
        where ${and([...source.where, sql`r.workload = ${workload}`, ofAsked(asking.metrics, asked)])}`
      : sql`select 1 from ${figures.from} where t.board_id = ${all} and ${figures.where}`;
  const [found] = await executeOften<{ points: number }>(
    db,
    sql`
    select count(*)::int as points from (${points} limit ${least}) q`,
  );
  return found?.points === least;
}

/** The rankable systems of each workload, by the requested formulas. */
export async function countWorkloads(
  db: Queryable,
  asking: Asking,
  asked: readonly (ChosenDefinitions | null)[],
): Promise<{ id: string; systems: number }[]> {
  const figures = asked.some((group) => group !== null) ? null : figuresOf(asking);
  if (figures !== null) return countFigures(db, asking, figures);
  const source = sourceOf(asking);
  const best = source.isOfSystems ? [sql`r.is_best`] : [];
  return await executeOften<{ id: string; systems: number }>(
    db,
    sql`
    select r.workload as id, count(distinct r.system_id)::int as systems
    from ${source.from} where ${and([...source.where, ...best, ofAsked(asking.metrics, asked)])}
    group by 1`,
  );
}

/** All variants of rankable points with their statistics `t`. */
export function withStatistics(source: Source): SQL {
  return source.hasStatistics
    ? source.from
    : sql`${source.from} join point_statistics t on t.point_id = r.point_id and t.status = r.status and t.stands`;
}

export const hasOne = (names: readonly MetricName[]) =>
  names.map((name) => hasRanked({ name, family: familyOfMetric(name) }, sql`t`));

/** Counts the systems per workload that have at least one of the metrics. */
export async function countPreferred(
  db: Queryable,
  asking: Asking,
  { workloads, metrics }: { workloads: readonly string[]; metrics: readonly MetricName[] },
): Promise<Map<string, number>> {
  if (isPlain(asking)) return countTogether(db, asking, { metrics, workloads });
  const source = sourceOf(asking);
  const rows = await executeOften<{ workload: string; systems: number }>(
    db,
    sql`
    select r.workload, count(distinct r.system_id)::int as systems
    from ${withStatistics(source)}
    where ${and([...source.where, sql`r.workload = any(${texts(workloads)})`])} and (${sql.join(hasOne(metrics), sql` or `)})
    group by 1`,
  );
  return new Map(rows.map(({ workload, systems }) => [workload, systems]));
}

/**
 * Counts the rankable systems that have each metric. If the points exceed the limit, counts a sample of the first ones.
 *
 * @param boards boards that contain every point of the workloads
 */
export async function countHaving(
  db: Queryable,
  asking: Asking,
  boards: readonly ListedBoard[],
  metrics: readonly MetricName[],
): Promise<{ systems: number; each: number[] }> {
  const figures = metrics.every(isBoundMetric) ? figuresOf(asking) : null;
  const source = sourceOf(asking);
  const has = hasOne(metrics).map((one, at) => sql`${one} as ${sql.identifier(`has${at}`)}`);
  const each = metrics.map((_, at) => sql`count(distinct system_id) filter (where ${sql.identifier(`has${at}`)})::int`);
  const isOfAll = asking.dimensions.some((dimension) => dimension === 'scenario' || dimension === 'workload');
  const rows =
    figures === null
      ? sql`select r.system_id, ${sql.join(has, sql`, `)} from ${withStatistics(source)}
          where ${and([...source.where, sql`r.workload = any(${texts(boards.map(({ workload }) => workload))})`])}`
      : sql`select t.system_id, ${sql.join(has, sql`, `)} from ${figures.from}
          where t.board_id = any(${ints(boards.map(({ id }) => id))}) and ${figures.where}`;
  const [found] = await executeOften<{ systems: number; each: number[] }>(
    db,
    sql`
    select count(distinct system_id)::int as systems, array[${sql.join(each, sql`, `)}] as each
    from (${rows} limit ${isOfAll ? samplePointsOfAll : samplePoints}) q`,
  );
  return found ?? { systems: 0, each: [] };
}

export interface GroupCounts {
  /** Counts by requested formulas, for all metrics combined. */
  together: CountedGroups[];
  /** Counts by any formula, for each metric separately. */
  each: Map<string, number>[];
}

/** Counts systems by the formula groups of their values, in some workloads. */
export async function countGroups(
  db: Queryable,
  asking: Asking,
  asked: readonly (ChosenDefinitions | null)[],
  workloads: readonly string[],
): Promise<GroupCounts> {
  const { metrics } = asking;
  const isAsked = (groups: readonly string[]) =>
    groups.every((group, at) => (asked[at] ?? null) === null || asked[at]?.group === group);
  const source = sourceOf(asking);
  const best = source.isOfSystems ? [sql`r.is_best`] : [];
  const groups = groupsOf(metrics);
  const named = groups.map((group, at) => sql`${group} as ${sql.identifier(`g${at}`)}`);
  const names = groups.map((_, at) => sql.identifier(`g${at}`));
  const sets = [sql`(${sql.join(names, sql`, `)})`, ...(names.length > 1 ? names.map((name) => sql`(${name})`) : [])];
  const rows = await executeOften<{ groups: (string | null)[]; left_out: number; systems: number }>(
    db,
    sql`
    select array[${sql.join(names, sql`, `)}] as groups, grouping(${sql.join(names, sql`, `)}) as left_out,
      count(distinct system_id)::int as systems
    from (
      select r.system_id, ${sql.join(named, sql`, `)} from ${source.from}
      where ${and([...source.where, ...best, sql`r.workload = any(${texts(workloads)})`])}) q
    group by grouping sets (${sql.join(sets, sql`, `)})`,
  );
  const together = rows
    .filter(({ left_out }) => left_out === 0)
    .map(({ groups: of, systems }) => ({ groups: of.map((group) => group ?? ''), systems }));
  const each = metrics.map((_, at) => {
    const own = rows.filter(({ groups: of, left_out }) =>
      metrics.length === 1 ? left_out === 0 : left_out > 0 && of[at] !== null,
    );
    return new Map(own.map(({ groups: of, systems }) => [of[at] ?? '', systems]));
  });
  return { together: together.filter(({ groups: of }) => isAsked(of)), each };
}
