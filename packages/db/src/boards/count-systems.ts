import type { Metric, MetricName } from '@inferboard/core/metrics/index';
import type { ChosenDefinitions, CountedGroups } from '@inferboard/core/ranking/formulas';
import { isWalked } from '@inferboard/core/ranking/walked';
import type { CountedWorkload } from '@inferboard/core/ranking/workload-choice';
import { type SQL, sql } from 'drizzle-orm';
import { texts } from '../bulk.ts';
import { and } from '../queries/filter-conditions.ts';
import type { Queryable } from '../transaction.ts';
import { groupOf } from './derive.ts';
import { type Asking, isPlain, type Source, sourceOf } from './source.ts';

/** The group of each metric's formula, of rows `r` and their statistics `t`. */
function groupsOf([first, ...others]: readonly Metric[]): SQL[] {
  return first === undefined ? [] : [sql`r.definition_group`, ...others.map(({ family }) => groupOf(family, sql`t`))];
}

/** True for rows by formulas that are asked for. */
const ofAsked = (metrics: readonly Metric[], asked: readonly (ChosenDefinitions | null)[]): SQL =>
  and(
    groupsOf(metrics).flatMap((group, at) => {
      const wanted = asked[at] ?? null;
      return wanted === null ? [] : [sql`${group} = ${wanted.group}`];
    }),
  );

interface SystemsOfBoard {
  workload: string;
  definition_group: string;
  systems: number;
}

/** Systems of all boards of a metric, as they are counted when results are stored. */
async function readSystems(db: Queryable, { kind, metrics }: Asking): Promise<SystemsOfBoard[]> {
  return (await db.execute(sql`
    select workload, definition_group, systems from boards
    where metric = ${metrics[0]?.name ?? ''} and kind = ${kind} and systems > 0`)) as unknown as SystemsOfBoard[];
}

/** Systems that are the best of some boards of a workload: each once, though it has values by several formulas. */
async function countTogether(
  db: Queryable,
  { kind }: Asking,
  { metrics, workloads }: { metrics: readonly MetricName[]; workloads: readonly string[] },
): Promise<Map<string, number>> {
  const rows = (await db.execute(sql`
    select b.workload, count(distinct r.system_id)::int as systems
    from boards b join board_rows r on r.board_id = b.id and r.is_best and r.unnamed = 0
    where b.metric = any(${texts(metrics)}) and b.kind = ${kind} and b.workload = any(${texts(workloads)})
    group by 1`)) as unknown as { workload: string; systems: number }[];
  return new Map(rows.map(({ workload, systems }) => [workload, systems]));
}

const canReadAhead = (asking: Asking) => isPlain(asking) && isCounted(asking) && asking.metrics.length <= 1;

async function plainWorkloads(
  db: Queryable,
  asking: Asking,
  asked: readonly (ChosenDefinitions | null)[],
): Promise<{ id: string; systems: number }[]> {
  const [wanted = null] = asked;
  const boards = (await readSystems(db, asking)).filter(
    ({ definition_group: group }) => wanted === null || group === wanted.group,
  );
  const byWorkload = Map.groupBy(boards, ({ workload }) => workload);
  const several = [...byWorkload].filter(([, of]) => of.length > 1).map(([workload]) => workload);
  const [metric] = asking.metrics;
  const together =
    several.length === 0 || metric === undefined
      ? new Map<string, number>()
      : await countTogether(db, asking, { metrics: [metric.name], workloads: several });
  return [...byWorkload].map(([id, of]) => ({ id, systems: together.get(id) ?? of[0]?.systems ?? 0 }));
}

/** Points of which metrics are counted at most: the share of systems that have one is then that of these. */
const samplePoints = 2000;

/** Points that are looked at before systems are counted without the filters. */
export const manyPoints = 250;

/** Whether so many points of a workload could be ranked that it answers without a count of systems. */
export async function hasMany(
  db: Queryable,
  asking: Asking,
  asked: readonly (ChosenDefinitions | null)[],
  workload: string,
): Promise<boolean> {
  const source = sourceOf(asking);
  const [found] = (await db.execute(sql`
    select count(*)::int as points from (
      select 1 from ${source.from}
      where ${and([...source.where, sql`r.workload = ${workload}`, ofAsked(asking.metrics, asked)])}
      limit ${manyPoints}) q`)) as unknown as { points: number }[];
  return found?.points === manyPoints;
}

/** Workloads with the systems that could be ranked in each if nothing but workloads were asked for. */
export async function countUnfiltered(
  db: Queryable,
  asking: Asking,
  asked: readonly (ChosenDefinitions | null)[],
): Promise<CountedWorkload[]> {
  const counted = await plainWorkloads(db, asking, asked);
  return counted.map((one) => ({ ...one, preferred: 0 }));
}

/** Whether systems are counted in advance for the first of the metrics that are asked for. */
export const isCounted = ({ metrics }: Asking) => metrics.slice(0, 1).every(isWalked);

/**
 * Workloads with the systems that could be ranked in each, by the formulas that are asked for.
 *
 * @param prefers metrics that decide between workloads with as many systems, which are counted for those alone
 */
export async function countWorkloads(
  db: Queryable,
  asking: Asking,
  asked: readonly (ChosenDefinitions | null)[],
  prefers: readonly MetricName[],
): Promise<CountedWorkload[]> {
  const source = sourceOf(asking);
  const best = source.isOfSystems ? [sql`r.is_best`] : [];
  const counted = canReadAhead(asking)
    ? await plainWorkloads(db, asking, asked)
    : ((await db.execute(sql`
        select r.workload as id, count(distinct r.system_id)::int as systems
        from ${source.from} where ${and([...source.where, ...best, ofAsked(asking.metrics, asked)])}
        group by 1`)) as unknown as { id: string; systems: number }[]);
  const preferred = prefers.length === 0 ? new Map() : await countPreferred(db, asking, counted, prefers);
  return counted.map(({ id, systems }) => ({ id, systems, preferred: preferred.get(id) ?? 0 }));
}

/** Rows of points that could be ranked with their statistics `t`, each variant. */
function withStatistics(source: Source): SQL {
  return source.hasStatistics
    ? source.from
    : sql`${source.from} join point_statistics t on t.point_id = r.point_id and t.status = r.status and t.stands`;
}

const hasOne = (metrics: readonly MetricName[]) => metrics.map((name) => sql`t.${sql.identifier(name)} is not null`);

/** Of workloads with as many systems as another: how many of those have one of some metrics. */
async function countPreferred(
  db: Queryable,
  asking: Asking,
  counted: readonly { id: string; systems: number }[],
  prefers: readonly MetricName[],
): Promise<Map<string, number>> {
  const equals = [...Map.groupBy(counted, ({ systems }) => systems).values()].filter((of) => of.length > 1).flat();
  const workloads = equals.map(({ id }) => id);
  if (workloads.length === 0) return new Map();
  if (canReadAhead(asking)) return countTogether(db, asking, { metrics: prefers, workloads });
  const source = sourceOf(asking);
  const rows = (await db.execute(sql`
    select r.workload, count(distinct r.system_id)::int as systems
    from ${withStatistics(source)}
    where ${and([...source.where, sql`r.workload = any(${texts(workloads)})`])} and (${sql.join(hasOne(prefers), sql` or `)})
    group by 1`)) as unknown as { workload: string; systems: number }[];
  return new Map(rows.map(({ workload, systems }) => [workload, systems]));
}

/** Of systems that could be ranked, how many have each of some metrics; where points are very many, of the first of them. */
async function countHaving(
  db: Queryable,
  asking: Asking,
  workloads: readonly string[],
  metrics: readonly MetricName[],
): Promise<{ systems: number; each: number[] }> {
  const source = sourceOf(asking);
  const has = hasOne(metrics).map((one, at) => sql`${one} as ${sql.identifier(`has${at}`)}`);
  const each = metrics.map((_, at) => sql`count(distinct system_id) filter (where ${sql.identifier(`has${at}`)})::int`);
  const [found] = (await db.execute(sql`
    select count(distinct system_id)::int as systems, array[${sql.join(each, sql`, `)}] as each
    from (
      select r.system_id, ${sql.join(has, sql`, `)} from ${withStatistics(source)}
      where ${and([...source.where, sql`r.workload = any(${texts(workloads)})`])}
      limit ${samplePoints}) q`)) as unknown as {
    systems: number;
    each: number[];
  }[];
  return found ?? { systems: 0, each: [] };
}

/** Systems of some workloads together, and how many of them have each of some metrics. */
export async function countMetrics(
  db: Queryable,
  asking: Asking,
  workloads: readonly string[],
  metrics: readonly MetricName[],
): Promise<{ systems: number; each: number[] }> {
  const [workload] = workloads;
  if (!canReadAhead(asking) || workload === undefined || workloads.length > 1)
    return countHaving(db, asking, workloads, metrics);
  const boards = (await db.execute(sql`
    select metric, systems from boards
    where metric = any(${texts(['', ...metrics])}) and kind = ${asking.kind} and workload = ${workload}
      and systems > 0`)) as unknown as { metric: MetricName | ''; systems: number }[];
  const byMetric = Map.groupBy(boards, ({ metric }) => metric);
  const each: number[] = [];
  for (const metric of metrics) {
    const of = byMetric.get(metric) ?? [];
    const together = of.length < 2 ? null : await countTogether(db, asking, { metrics: [metric], workloads });
    each.push(together?.get(workload) ?? of[0]?.systems ?? 0);
  }
  return { systems: byMetric.get('')?.[0]?.systems ?? 0, each };
}

export interface GroupCounts {
  /** Of all metrics together, by formulas that are asked for. */
  together: CountedGroups[];
  /** Of each metric by itself, by any formula. */
  each: Map<string, number>[];
}

/** Systems by the groups of formulas behind their values, in some workloads. */
export async function countGroups(
  db: Queryable,
  asking: Asking,
  asked: readonly (ChosenDefinitions | null)[],
  workloads: readonly string[],
): Promise<GroupCounts> {
  const { metrics } = asking;
  const isAsked = (groups: readonly string[]) =>
    groups.every((group, at) => (asked[at] ?? null) === null || asked[at]?.group === group);
  if (canReadAhead(asking) && workloads.length === 1) {
    const boards = (await readSystems(db, asking)).filter(({ workload }) => workload === workloads[0]);
    const counted = boards.map(({ definition_group: group, systems }) => ({ groups: [group], systems }));
    return {
      together: counted.filter(({ groups }) => isAsked(groups)),
      each: [new Map(counted.map(({ groups: [group = ''], systems }) => [group, systems]))],
    };
  }
  const source = sourceOf(asking);
  const best = source.isOfSystems ? [sql`r.is_best`] : [];
  const groups = groupsOf(metrics);
  const named = groups.map((group, at) => sql`${group} as ${sql.identifier(`g${at}`)}`);
  const names = groups.map((_, at) => sql.identifier(`g${at}`));
  const sets = [sql`(${sql.join(names, sql`, `)})`, ...(names.length > 1 ? names.map((name) => sql`(${name})`) : [])];
  const rows = (await db.execute(sql`
    select array[${sql.join(names, sql`, `)}] as groups, grouping(${sql.join(names, sql`, `)}) as left_out,
      count(distinct system_id)::int as systems
    from (
      select r.system_id, ${sql.join(named, sql`, `)} from ${source.from}
      where ${and([...source.where, ...best, sql`r.workload = any(${texts(workloads)})`])}) q
    group by grouping sets (${sql.join(sets, sql`, `)})`)) as unknown as {
    groups: (string | null)[];
    left_out: number;
    systems: number;
  }[];
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
