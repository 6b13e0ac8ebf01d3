import type { Filters } from '@inferboard/core/filters/filters';
import type { Metric } from '@inferboard/core/metrics/index';
import { type SQL, sql } from 'drizzle-orm';
import { type PackedRow, unpackRow } from '../point-statistics/packed.ts';
import type { Queryable } from '../transaction.ts';
import {
  and,
  behindRow,
  boundConditions,
  pointConditions,
  someResult,
  statusCondition,
  trustCondition,
} from './filter-conditions.ts';
import type { PointStatisticsRow, RunRow, ScenarioRow, SystemRow } from './row-types.ts';

/** What is asked of a board. `order`: which end of the values is first. */
export interface LeaderboardQuestion {
  rankBy: Metric;
  order: 'asc' | 'desc';
  filters: Filters;
  limit: number;
  after: { value: number; system: string } | null;
}

export interface LeaderboardRow {
  system: SystemRow;
  scenario: ScenarioRow;
  point: PointStatisticsRow;
  value: number;
  rank: number;
  /** Last place this entry could hold, by its interval. */
  rank_last: number;
  runs: RunRow[];
}

export interface Leaderboard {
  rows: LeaderboardRow[];
  /** Points left out, by reason. */
  excluded: Record<string, number>;
  /** The group of definitions that was ranked; null where the metric has one formula. */
  definitionGroup: string | null;
  hasMore: boolean;
}

const source = sql`
  from point_statistics t
  join points p on p.id = t.point_id
  join systems s on s.id = p.system_id
  join scenarios sc on sc.id = p.scenario_id`;

/** Runs shown with an entry at most; the result list has them all. */
const runsMax = 20;

interface Census {
  status: string;
  trusted: boolean;
  /** Formulas by which the points have all metrics in question, in no order, '' for none; null: they have not. */
  definitions: string[] | null;
  points: string;
}

/** The metrics a row must have to take part: the ranked one and those with a bound. */
function neededColumns({ rankBy, filters }: LeaderboardQuestion): SQL[] {
  const names = new Set([rankBy.name, ...filters.bounds.map((bound) => bound.metric)]);
  return [...names].map((name) => sql`t.${sql.identifier(name)}`);
}

/** Counts the points in question, each once for each standing, by everything that may leave one out. */
async function takeCensus(db: Queryable, question: LeaderboardQuestion): Promise<Census[]> {
  const { rankBy, filters } = question;
  const isComplete = and(neededColumns(question).map((column) => sql`${column} is not null`));
  return (await db.execute(sql`
    select status, trusted, definitions, count(*) as points
    from (
      select t.status, bool_or(${trustCondition(filters)}) as trusted,
        array_agg(coalesce(t.definitions ->> ${rankBy.family.base}, ''))
          filter (where ${isComplete}) as definitions
      ${source}
      where p.kind = ${rankBy.family.kind} and ${and([...pointConditions(filters), ...someResult(filters, rankBy)])}
      group by t.point_id, t.status
    ) point
    group by 1, 2, 3`)) as unknown as Census[];
}

/** Why a counted group of points does not rank, or null if it does. The first reason that holds is the one told. */
function reasonOut(
  group: Census,
  question: LeaderboardQuestion,
  definitionIds: readonly string[] | null,
): string | null {
  const { include } = question.filters;
  if (group.status === 'quarantined' && !include.includes('quarantined')) return 'quarantined';
  if (group.status === 'retracted' && !include.includes('retracted')) return 'retracted';
  if (!group.trusted) return 'below_trust';
  if (group.definitions === null) return 'missing_metric';
  if (definitionIds !== null && !group.definitions.some((id) => definitionIds.includes(id))) return 'other_definition';
  return null;
}

/** The preferred group of definitions that any eligible point has; values of the others are not comparable with it. */
function chooseDefinitions(census: Census[], question: LeaderboardQuestion): { group: string; ids: string[] } | null {
  const { definitions } = question.rankBy.family;
  const eligible = census.filter((group) => reasonOut(group, question, null) === null);
  const present = new Set(eligible.flatMap((group) => group.definitions ?? []));
  const preferred = definitions.find((definition) => present.has(definition.id));
  if (preferred === undefined) return null;
  const ids = definitions.filter(({ group }) => group === preferred.group).map(({ id }) => id);
  return { group: preferred.group, ids };
}

/**
 * Each system at its best point under the constraints, ranked. A point enters by its preferred formula of those that
 * are ranked together, so that having used two does not let it choose. Ranks count the systems whose 95 % interval lies
 * wholly beyond this one's, so that systems which the data cannot tell apart share a rank. Order: value, then system id,
 * which is total; pages continue after (value, system).
 */
export async function listLeaderboard(db: Queryable, question: LeaderboardQuestion): Promise<Leaderboard> {
  const { rankBy, order, filters, limit, after } = question;
  const census = await takeCensus(db, question);
  const chosen = chooseDefinitions(census, question);
  const excluded: Record<string, number> = {};
  for (const group of census) {
    const reason = reasonOut(group, question, chosen?.ids ?? null);
    if (reason !== null) excluded[reason] = (excluded[reason] ?? 0) + Number(group.points);
  }

  const value = sql`t.${sql.identifier(rankBy.name)}`;
  const direction = order === 'desc' ? sql`desc` : sql`asc`;
  const beyond = order === 'desc' ? sql`b.low > e.high` : sql`b.high < e.low`;
  const notBehind = order === 'desc' ? sql`b.high >= e.low` : sql`b.low <= e.high`;
  const conditions = [
    sql`p.kind = ${rankBy.family.kind}`,
    ...neededColumns(question).map((column) => sql`${column} is not null`),
    statusCondition(filters),
    trustCondition(filters),
    ...pointConditions(filters),
    ...someResult(filters, rankBy),
  ];
  if (chosen !== null) {
    const ids = sql.join(
      chosen.ids.map((id) => sql`${id}`),
      sql`, `,
    );
    conditions.push(sql`t.definitions ->> ${rankBy.family.base} in (${ids})`);
  }
  const continued =
    after === null
      ? sql`true`
      : order === 'desc'
        ? sql`(e.value < ${after.value} or (e.value = ${after.value} and e.system_id > ${after.system}))`
        : sql`(e.value > ${after.value} or (e.value = ${after.value} and e.system_id > ${after.system}))`;

  const rows = (await db.execute(sql`
    with eligible as (
      select distinct on (t.point_id, t.status) p.system_id, t.point_id, t.status, t.variant,
        ${sql.join(neededColumns(question), sql`, `)}, t.statistics -> ${rankBy.name}::text -> 'ci95' as interval
      ${source}
      where ${and(conditions)}
      order by t.point_id, t.status, t.variant
    ), best as materialized (
      select distinct on (t.system_id) t.system_id, t.point_id, t.status, t.variant, ${value} as value,
        coalesce((t.interval ->> 0)::double precision, ${value}) as low,
        coalesce((t.interval ->> 1)::double precision, ${value}) as high
      from eligible t
      where ${and(boundConditions(filters.bounds))}
      order by t.system_id, ${value} ${direction}, t.point_id, t.status
    ), page as (
      select e.* from best e where ${continued} order by e.value ${direction}, e.system_id limit ${limit + 1}
    )
    select e.value, to_jsonb(s) as system, to_jsonb(sc) as scenario,
      to_jsonb(t) || jsonb_build_object('load_mode', p.load_mode, 'load_level', p.load_level,
        'load_detail', p.load_detail, 'kind', p.kind) as point,
      1 + (select count(*) from best b where ${beyond})::int as rank,
      (select count(*) from best b where ${notBehind})::int as rank_last,
      coalesce((select jsonb_agg(run order by run.id) from (
        select r.id, r.submission_id, r.repetition, r.${sql.identifier(rankBy.name)} as value
        from results r
        where r.point_id = e.point_id and r.status = e.status and r.copy_of is null and ${behindRow(rankBy)}
        order by r.id limit ${runsMax}) run), '[]'::jsonb) as runs
    from page e
    join point_statistics t on t.point_id = e.point_id and t.status = e.status and t.variant = e.variant
    join points p on p.id = t.point_id
    join systems s on s.id = p.system_id
    join scenarios sc on sc.id = p.scenario_id
    order by e.value ${direction}, e.system_id`)) as unknown as (Omit<LeaderboardRow, 'point'> & {
    point: PackedRow;
  })[];
  return {
    rows: rows.slice(0, limit).map((row) => ({ ...row, point: unpackRow(row.point) })),
    excluded,
    definitionGroup: chosen?.group ?? null,
    hasMore: rows.length > limit,
  };
}
