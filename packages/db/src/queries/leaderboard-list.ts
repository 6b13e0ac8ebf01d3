import type { Filters } from '@inferboard/core/filters/filters';
import type { Metric } from '@inferboard/core/metrics/index';
import { type SQL, sql } from 'drizzle-orm';
import { type PackedRow, unpackRow } from '../point-statistics/packed.ts';
import type { Queryable } from '../transaction.ts';
import { assumedFactor, assumedPlace, toAssumptions } from './assumed-interval.ts';
import { neededColumns, pointSource, surveyPoints, takesPart } from './board-census.ts';
import { type Dimension, dimensionKeys } from './dimensions.ts';
import { and, behindRow, boundConditions } from './filter-conditions.ts';
import type { PointStatisticsRow, RunRow, ScenarioRow, SystemRow } from './row-types.ts';
import { listToolVariations, poolByTool } from './tool-variation.ts';

/** What a board is of. `order`: which end of the values is first. */
export interface BoardQuestion {
  rankBy: Metric;
  order: 'asc' | 'desc';
  filters: Filters;
  /** What has one entry each, its best; systems if nothing else is asked for. */
  subject?: Dimension;
}

/** A page of a board. */
export interface LeaderboardQuestion extends BoardQuestion {
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
  /** Of a single measurement: the interval it ranks by, from the scatter of its tool's repeated points. */
  assumed: { cv: number; points: number; interval: [number, number] } | null;
  runs: RunRow[];
}

/** As the database answers it: statistics packed, and the interval that it ranked by. */
export type RankedRow = Omit<LeaderboardRow, 'point' | 'assumed'> & {
  point: PackedRow;
  low: number;
  high: number;
  /** Place of its assumption, from 1. */
  assumed: number | null;
};

export interface Board {
  rows: LeaderboardRow[];
  /** Points left out, by reason. */
  excluded: Record<string, number>;
  /** The group of definitions that was ranked; null where the metric has one formula. */
  definitionGroup: string | null;
}

export interface Leaderboard extends Board {
  hasMore: boolean;
}

/** What a board holds, and how its entries are asked for: `query` answers rows for `toEntry`, in their order. */
export interface Ranking extends Omit<Board, 'rows'> {
  query: SQL;
  toEntry(row: RankedRow): LeaderboardRow;
}

/** Runs shown with an entry at most; the result list has them all. */
const runsMax = 20;

/**
 * Each system, or other subject, at its best point under the constraints, ranked. A point enters by its preferred formula of those that
 * are ranked together, so that having used two does not let it choose. Ranks count the systems whose 95 % interval lies
 * wholly beyond this one's, so that systems which the data cannot tell apart share a rank; a single measurement ranks by
 * the interval assumed from its tool's repeated points. Order: value, then system id, which is total; pages continue
 * after (value, system). Without a page, all entries.
 */
export async function rankBoard(
  db: Queryable,
  question: BoardQuestion,
  page: Pick<LeaderboardQuestion, 'limit' | 'after'> | null,
): Promise<Ranking> {
  const { rankBy, order, filters, subject = 'system' } = question;
  const [{ chosen, excluded }, allVariations] = await Promise.all([
    surveyPoints(db, question),
    listToolVariations(db, rankBy),
  ]);
  const assumptions = toAssumptions(poolByTool(allVariations, chosen?.ids ?? null));
  const value = sql`t.${sql.identifier(rankBy.name)}`;
  const direction = order === 'desc' ? sql`desc` : sql`asc`;
  // How many intervals begin at or below the end of this one, and how many end at or above its beginning: found in sorted
  // ends, since comparing all with all would make a long board slow.
  const begun = sql`width_bucket(e.high, ends.lows)`;
  const unended = sql`width_bucket(-e.low, ends.negated_highs)`;
  const [notBeyond, notBehind] = order === 'desc' ? [begun, unended] : [unended, begun];
  const after = page?.after ?? null;
  const continued =
    after === null
      ? sql`true`
      : order === 'desc'
        ? sql`(e.value < ${after.value} or (e.value = ${after.value} and e.system_id > ${after.system}))`
        : sql`(e.value > ${after.value} or (e.value = ${after.value} and e.system_id > ${after.system}))`;

  const query = sql`
    with eligible as (
      select distinct on (t.point_id, t.status) p.system_id, ${dimensionKeys[subject]} as subject, t.point_id, t.status, t.variant,
        ${sql.join(neededColumns(question), sql`, `)}, t.definitions, t.statistics -> ${rankBy.name}::text as figures
      ${pointSource}
      where ${and(takesPart(question, chosen))}
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
    ), ends as materialized (
      select count(*) as entries, array_agg(low order by low) as lows,
        array_agg(-high order by -high) as negated_highs
      from best
    ), page as (
      select e.* from best e where ${continued} order by e.value ${direction}, e.system_id
      limit ${page === null ? sql`all` : page.limit + 1}
    )
    select e.value, e.low, e.high, e.assumed, to_jsonb(s) as system, to_jsonb(sc) as scenario,
      to_jsonb(t) || jsonb_build_object('load_mode', p.load_mode, 'load_level', p.load_level,
        'load_detail', p.load_detail, 'kind', p.kind) as point,
      (1 + ends.entries - ${notBeyond})::int as rank, ${notBehind}::int as rank_last,
      coalesce((select jsonb_agg(run order by run.id) from (
        select r.id, r.submission_id, r.repetition, r.${sql.identifier(rankBy.name)} as value
        from results r
        where r.point_id = e.point_id and r.status = e.status and r.copy_of is null and ${behindRow(rankBy)}
        order by r.id limit ${runsMax}) run), '[]'::jsonb) as runs
    from page e
    cross join ends
    join point_statistics t on t.point_id = e.point_id and t.status = e.status and t.variant = e.variant
    join points p on p.id = t.point_id
    join systems s on s.id = p.system_id
    join scenarios sc on sc.id = p.scenario_id
    order by e.value ${direction}, e.system_id`;
  return {
    query,
    toEntry: ({ low, high, assumed: place, point, ...row }) => {
      const pooled = place === null ? undefined : assumptions[place - 1]?.pooled;
      const assumed = pooled && {
        cv: pooled.cv,
        points: pooled.groups,
        interval: [low, high] satisfies [number, number],
      };
      return { ...row, point: unpackRow(point), assumed: assumed ?? null };
    },
    excluded,
    definitionGroup: chosen?.group ?? null,
  };
}

/** A page of the board that `rankBoard` describes. */
export async function listLeaderboard(db: Queryable, question: LeaderboardQuestion): Promise<Leaderboard> {
  const { limit } = question;
  const { query, toEntry, excluded, definitionGroup } = await rankBoard(db, question, question);
  // The query answers these rows.
  const rows = (await db.execute(query)) as unknown as RankedRow[];
  return { rows: rows.slice(0, limit).map(toEntry), excluded, definitionGroup, hasMore: rows.length > limit };
}
