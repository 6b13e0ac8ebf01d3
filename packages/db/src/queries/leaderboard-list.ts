import type { Filters } from '@inferboard/core/filters/filters';
import type { Metric } from '@inferboard/core/metrics/index';
import { type SQL, sql } from 'drizzle-orm';
import { type PackedRow, unpackRow } from '../point-statistics/packed.ts';
import type { Queryable } from '../transaction.ts';
import { assumedFactor, assumedPlace, toAssumptions } from './assumed-interval.ts';
import { type Dimension, dimensionKeys } from './dimensions.ts';
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
import { listToolVariations, poolByTool } from './tool-variation.ts';

/** What is asked of a board. `order`: which end of the values is first. */
export interface LeaderboardQuestion {
  rankBy: Metric;
  order: 'asc' | 'desc';
  filters: Filters;
  limit: number;
  after: { value: number; system: string } | null;
  /** What has one entry each, its best; systems if nothing else is asked for. */
  subject?: Dimension;
}

export interface LeaderboardRow {
  system: SystemRow;
  scenario: ScenarioRow;
  point: PointStatisticsRow;
  value: number;
  rank: number;
  /** Last place this entry could hold, by its interval. */
  rank_last: number;
  /** Of a single measurement: the interval it ranks by, from the scatter of its tool's repeated points. */
  assumed: { cv: number; points: number; interval: [number, number] } | null;
  runs: RunRow[];
}

/** As the database answers it: statistics packed, and the interval that it ranked by. */
type RankedRow = Omit<LeaderboardRow, 'point' | 'assumed'> & {
  point: PackedRow;
  low: number;
  high: number;
  /** Place of its assumption, from 1. */
  assumed: number | null;
};

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
 * Each system, or other subject, at its best point under the constraints, ranked. A point enters by its preferred formula of those that
 * are ranked together, so that having used two does not let it choose. Ranks count the systems whose 95 % interval lies
 * wholly beyond this one's, so that systems which the data cannot tell apart share a rank; a single measurement ranks by
 * the interval assumed from its tool's repeated points. Order: value, then system id, which is total; pages continue
 * after (value, system).
 */
export async function listLeaderboard(db: Queryable, question: LeaderboardQuestion): Promise<Leaderboard> {
  const { rankBy, order, filters, limit, after, subject = 'system' } = question;
  const [census, allVariations] = await Promise.all([takeCensus(db, question), listToolVariations(db, rankBy)]);
  const chosen = chooseDefinitions(census, question);
  const assumptions = toAssumptions(poolByTool(allVariations, chosen?.ids ?? null));
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
      select distinct on (t.point_id, t.status) p.system_id, ${dimensionKeys[subject]} as subject, t.point_id, t.status, t.variant,
        ${sql.join(neededColumns(question), sql`, `)}, t.definitions, t.statistics -> ${rankBy.name}::text as figures
      ${source}
      where ${and(conditions)}
      order by t.point_id, t.status, t.variant
    ), first as (
      select distinct on (t.subject) t.*, ${value} as value
      from eligible t
      where ${and(boundConditions(filters.bounds))}
      order by t.subject, ${value} ${direction}, t.system_id, t.point_id, t.status
    ), placed as materialized (
      select t.*, ${assumedPlace(assumptions, rankBy)} as assumed from first t
    ), best as materialized (
      select t.system_id, t.point_id, t.status, t.variant, t.value, t.assumed,
        coalesce((t.figures -> 'ci95' ->> 0)::double precision, t.value * ${assumedFactor(assumptions, 0)}, t.value) as low,
        coalesce((t.figures -> 'ci95' ->> 1)::double precision, t.value * ${assumedFactor(assumptions, 1)}, t.value) as high
      from placed t
    ), page as (
      select e.* from best e where ${continued} order by e.value ${direction}, e.system_id limit ${limit + 1}
    )
    select e.value, e.low, e.high, e.assumed, to_jsonb(s) as system, to_jsonb(sc) as scenario,
      to_jsonb(t) || jsonb_build_object('load_mode', p.load_mode, 'load_level', p.load_level,
        'load_detail', p.load_detail, 'kind', p.kind) as point,
      place.rank, place.rank_last,
      coalesce((select jsonb_agg(run order by run.id) from (
        select r.id, r.submission_id, r.repetition, r.${sql.identifier(rankBy.name)} as value
        from results r
        where r.point_id = e.point_id and r.status = e.status and r.copy_of is null and ${behindRow(rankBy)}
        order by r.id limit ${runsMax}) run), '[]'::jsonb) as runs
    from page e
    cross join lateral (
      select (1 + count(*) filter (where ${beyond}))::int as rank,
        (count(*) filter (where ${notBehind}))::int as rank_last
      from best b) place
    join point_statistics t on t.point_id = e.point_id and t.status = e.status and t.variant = e.variant
    join points p on p.id = t.point_id
    join systems s on s.id = p.system_id
    join scenarios sc on sc.id = p.scenario_id
    order by e.value ${direction}, e.system_id`)) as unknown as RankedRow[];
  return {
    rows: rows.slice(0, limit).map(({ low, high, assumed: place, point, ...row }) => {
      const pooled = place === null ? undefined : assumptions[place - 1]?.pooled;
      const assumed = pooled && {
        cv: pooled.cv,
        points: pooled.groups,
        interval: [low, high] satisfies [number, number],
      };
      return { ...row, point: unpackRow(point), assumed: assumed ?? null };
    }),
    excluded,
    definitionGroup: chosen?.group ?? null,
    hasMore: rows.length > limit,
  };
}
