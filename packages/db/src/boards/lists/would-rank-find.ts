import { findMetric, type Metric, type MetricName, unrankedGroups } from '@inferboard/core/metrics/index';
import type { MetricKind } from '@inferboard/core/metrics/metric';
import { type Alternative, bySystems } from '@inferboard/core/ranking/choice';
import { chooseRank, preferredRanks, rankableMetrics } from '@inferboard/core/ranking/default-rank';
import { groupsOf } from '@inferboard/core/ranking/formulas';
import type { ResultStatus } from '@inferboard/core/subjects/result';
import { unspecified } from '@inferboard/core/subjects/system';
import { type SQL, sql } from 'drizzle-orm';
import type { Queryable } from '../../connection/transaction.ts';
import { columnList, texts } from '../../copy/bulk.ts';
import { metricArray, readMetrics } from '../../points/stated-figures.ts';

/** The rank of a result on the board of its workload, by the board's metric. For a provisional result, the rank it would have. */
export interface WouldRank {
  resultId: string;
  rank: number;
  /** Number of systems on the board, including the result's system. */
  of: number;
  metric: Metric;
  workload: string;
}

/** Maximum results per submission to rank; each may belong to another workload. */
const resultsMost = 20;

/** Identifies a board. */
interface Contest {
  workload: string;
  kind: MetricKind;
}

interface Asked extends Contest {
  id: string;
  system: string;
  definitions: Record<string, string>;
  values: Partial<Record<MetricName, number | null>>;
}

const keyOf = ({ workload, kind }: Contest) => JSON.stringify([workload, kind]);

/** True for a system `s` that names all facts a board of systems requires. */
const isNamed = sql`not (
  (s.model_id is null and s.model_family is null and s.model_key = ${unspecified})
  or (s.gpu_id is null and s.gpu_family is null and s.gpu_key = ${unspecified})
  or (s.quantization_id is null and s.quantization_key = ${unspecified}))`;

/** Representative accepted claims of such systems: the rows on boards. */
const ranked = sql`points p
  join systems s on s.id = p.system_id and ${isNamed}
  join point_statistics t on t.point_id = p.id and t.stands and t.status = 'accepted'`;

/** The first results of a submission, with one of the statuses, that a board shows or would show. */
async function listAsked(db: Queryable, submissionId: string, statuses: readonly ResultStatus[]): Promise<Asked[]> {
  const rows = (await db.execute(sql`
    select r.id, p.system_id as system, p.workload, p.kind, r.definitions, ${metricArray} as values
    from results r join points p on p.id = r.point_id join systems s on s.id = p.system_id
    where r.submission_id = ${submissionId} and r.status = any(${texts(statuses)}) and r.copy_of is null
      and p.workload is not null and ${isNamed}
    order by r.ordinal limit ${resultsMost}`)) as unknown as (Omit<Asked, 'values'> & { values: (number | null)[] })[];
  return rows.map(({ values, ...row }) => ({ ...row, values: readMetrics(values) }));
}

/** For each workload with a board, the number of its systems and the number with each metric. */
async function countSystems(
  db: Queryable,
  contests: readonly Contest[],
  names: readonly MetricName[],
): Promise<Map<string, { systems: number; counted: Alternative[] }>> {
  const has = columnList(names, (column) => `bool_or(t.${column} is not null) as ${column}`);
  const counts = columnList(names, (column) => `(count(*) filter (where b.${column}))::int`);
  const workloads = texts(contests.map(({ workload }) => workload));
  const kinds = texts(contests.map(({ kind }) => kind));
  const rows = (await db.execute(sql`
    select b.workload, b.kind, count(*)::int as systems, to_json(array[${counts}]) as counts
    from (
      select p.workload, p.kind, p.system_id, ${has}
      from unnest(${workloads}, ${kinds}) as w(workload, kind)
      join (${ranked}) on p.workload = w.workload and p.kind = w.kind
      group by 1, 2, 3) b
    group by 1, 2`)) as unknown as (Contest & { systems: number; counts: number[] })[];
  return new Map(
    rows.map((row) => [
      keyOf(row),
      { systems: row.systems, counted: names.map((id, place) => ({ id, systems: row.counts[place] ?? 0 })) },
    ]),
  );
}

/** The metric that the board of a workload ranks by. Without a board, the metric that this result would set. */
async function chooseMetrics(
  db: Queryable,
  asked: ReadonlyMap<string, readonly Asked[]>,
): Promise<Map<string, Metric>> {
  const firsts = [...asked].flatMap(([key, [first]]) => (first === undefined ? [] : [{ key, first }]));
  const contests = firsts.map(({ first: { workload, kind } }) => ({ workload, kind }));
  const common = await countSystems(db, contests, preferredRanks);
  const isLeft = (contest: Contest) => common.get(keyOf(contest))?.counted.every(({ systems }) => systems === 0);
  const left = contests.filter((contest) => isLeft(contest));
  const rankable = rankableMetrics.map(({ name }) => name);
  const others = left.length === 0 ? common : await countSystems(db, left, rankable);
  const own = ({ values }: Asked, names: readonly MetricName[]) =>
    names.map((id) => ({ id, systems: values[id] == null ? 0 : 1 }));
  return new Map(
    firsts.flatMap(({ key, first }) => {
      const { systems, counted } = common.get(key) ?? { systems: 1, counted: own(first, preferredRanks) };
      const rest = others.get(key)?.counted ?? own(first, rankable);
      const id = chooseRank(counted, systems)?.id ?? bySystems(rest, () => 0)[0]?.id;
      const metric = id === undefined ? null : findMetric(id);
      return metric === null ? [] : [[key, metric] as const];
    }),
  );
}

/** Number of systems in one formula group, and how many of them rank above a result. */
interface Counted {
  /** Index of the group in the registry; -1 if no formula is recorded. */
  group: number;
  id: string;
  systems: number;
  /** Excludes the result's own system. */
  others: number;
  better: number;
}

/** For each result, counts the systems of its board with a better ranked value, by formula group. */
async function countBetter(
  db: Queryable,
  { workload, kind }: Contest,
  { metric, groupOf }: { metric: Metric; groupOf: SQL },
  results: readonly { id: string; system: string; value: number }[],
): Promise<Counted[]> {
  const value = sql`t.${sql.identifier(metric.name)}`;
  const [best, isBetter] = metric.family.direction === 'lower' ? [sql`min`, sql`<`] : [sql`max`, sql`>`];
  return (await db.execute(sql`
    with best as (
      select ${groupOf} as "group", p.system_id as system, ${best}(${value}) as value
      from ${ranked}
      where p.workload = ${workload} and p.kind = ${kind} and ${value} is not null
      group by 1, 2)
    select b."group", w.id, count(*)::int as systems,
      (count(*) filter (where b.system <> w.system))::int as others,
      (count(*) filter (where b.system <> w.system and b.value ${isBetter} w.value))::int as better
    from best b
    cross join jsonb_to_recordset(${JSON.stringify(results)}::jsonb) as w(id text, system text, value float8)
    group by 1, 2`)) as unknown as Counted[];
}

/** Ranks results of one workload on its board. Results that the board could not compare get no rank. */
async function rankBeside(db: Queryable, metric: Metric, asked: readonly Asked[]): Promise<WouldRank[]> {
  const [first] = asked;
  if (first === undefined) return [];
  const { base } = metric.family;
  const groups = groupsOf(metric);
  const cases = groups.map(
    ({ ids }, place) => sql`when t.definitions ->> ${base}::text = any(${texts(ids)}) then ${place}::int`,
  );
  const groupOf = groups.length === 0 ? sql`-1` : sql`case ${sql.join(cases, sql` `)} else -1 end`;
  const measured = asked.flatMap(({ id, system, definitions, values }) => {
    const value = values[metric.name];
    const group = groups.findIndex(({ ids }) => ids.includes(definitions[base] ?? ''));
    return value == null ? [] : [{ id, system, value, group }];
  });
  const counted = await countBetter(db, first, { metric, groupOf }, measured);
  // Uses the board's precedence: a recorded formula first, then the one with the most systems, then the preferred one.
  const [chosen] = counted.toSorted(
    (a, b) => Number(a.group < 0) - Number(b.group < 0) || b.systems - a.systems || a.group - b.group,
  );
  return measured.flatMap(({ id, group }) => {
    if (chosen !== undefined && chosen.group !== group) return [];
    if (unrankedGroups(metric.family).includes(groups[group]?.group ?? '')) return [];
    const beside = counted.find((one) => one.id === id && one.group === group);
    const { others, better } = beside ?? { others: 0, better: 0 };
    return [{ resultId: id, rank: 1 + better, of: 1 + others, metric, workload: first.workload }];
  });
}

/**
 * Computes ranks for the first 20 results of a submission, counting provisional ones as if they were accepted. The rank is 1
 * plus the number of other systems whose best ranked value is better, on the board of the workload, by the board's default
 * metric and formula. Results without that metric, or by another formula, get no rank.
 */
export async function findWouldRanks(
  db: Queryable,
  submissionId: string,
  statuses: readonly ResultStatus[] = ['provisional'],
): Promise<WouldRank[]> {
  const asked = Map.groupBy(await listAsked(db, submissionId, statuses), keyOf);
  const metrics = await chooseMetrics(db, asked);
  const found: WouldRank[] = [];
  for (const [key, metric] of metrics) found.push(...(await rankBeside(db, metric, asked.get(key) ?? [])));
  return found;
}
