import type { Filters } from '@inferboard/core/filters/filters';
import { type Metric, metricNames } from '@inferboard/core/metrics/index';
import type { BoardPage, EntryPlace, Order, RankSpread } from '@inferboard/core/ranking/board';
import type { Choice } from '@inferboard/core/ranking/choice';
import type { Dimension } from '@inferboard/core/ranking/subject';
import type { Source } from '@inferboard/core/source';
import { sql } from 'drizzle-orm';
import { theRows } from '../boards/row-key.ts';
import { type SettledBoard, settleBoard } from '../boards/settle.ts';
import { type StoredEntry, walkBoard } from '../boards/walk-board.ts';
import { columnList } from '../bulk.ts';
import type { Database, Transaction } from '../client.ts';
import { type PackedStatistics, type Spread, unpackMetrics } from '../point-statistics/packed.ts';
import { behindRow, ofClaim } from './filter-conditions.ts';
import type { PointStatisticsRow, RunRow, ScenarioRow, SystemRow } from './row-types.ts';
import { readWorkload, type WorkloadChoice } from './workload-facts.ts';

/** What a board is of. `order`: which end of the values is first. */
export interface BoardQuestion {
  rankBy: Metric;
  order: Order;
  filters: Filters;
  /** A formula, or a group of them, that is asked for. */
  definition: string | null;
  /** The group that an earlier page chose. */
  chosen?: string | null;
  /** What has one entry each, its best; systems if nothing else is asked for. */
  subject?: Dimension;
}

/** A page of a board. */
export interface LeaderboardQuestion extends BoardQuestion, BoardPage {
  /** Whether entries name the results behind them; true if nothing else is said. */
  withRuns?: boolean;
}

export interface LeaderboardRow {
  system: SystemRow;
  scenario: ScenarioRow;
  /** With the statistics of the ranked metric alone. */
  point: PointStatisticsRow;
  value: number;
  /** Null of an entry that is listed without a number. */
  rank: number | null;
  /** First and last place this entry could hold, by its interval; null of an entry without a number. */
  spread: RankSpread | null;
  /** Where it stands in the order of the board. */
  place: EntryPlace;
  /** Of a single measurement: the interval it ranks by, from the scatter of its tool's repeated points. */
  assumed: { cv: number; points: number; interval: [number, number] } | null;
  runs: RunRow[];
  /** Where the earliest of its results was published, if an operator imported it from there. */
  source: Source | null;
}

export interface Board {
  rows: LeaderboardRow[];
  /** Points left out, by reason. */
  excluded: Record<string, number>;
  /** Null where nothing could be ranked. */
  workload: WorkloadChoice | null;
  /** The group of definitions that was ranked; null where the metric has one formula. */
  definition: Choice | null;
}

export interface Leaderboard extends Board {
  hasMore: boolean;
}

/** What a board asks of the points. */
const askingOf = ({ rankBy, filters, definition, chosen = null, subject = 'system', order }: BoardQuestion) => ({
  kind: rankBy.family.kind,
  metrics: [rankBy],
  dimensions: [subject],
  filters,
  definition,
  chosen,
  subject,
  order,
});

/** A board by the keys of its entries: a page and one entry more where there is one, or all. */
export interface RankedKeys extends SettledBoard {
  entries: StoredEntry[];
}

/** Ranks the points of the transaction's moment; what a board shows of them is still to be read. */
export async function rankKeys(tx: Transaction, question: BoardQuestion, page: BoardPage | null): Promise<RankedKeys> {
  const asking = askingOf(question);
  const settled = await settleBoard(tx, asking);
  return { ...settled, entries: await walkBoard(tx, asking, settled, page) };
}

/** Runs shown with an entry at most; the result list has them all. */
const runsMax = 20;

/** What is shown of a point beside its statistics, which of all metrics together are most of what is stored of it. */
const pointColumns = columnList(
  [
    ...['point_id', 'status', 'account_id', 'own_trust', 'variant', 'stands', 'disputed', 'definitions', 'derived'],
    ...[
      'results',
      'runs',
      'first_result_id',
      'trust',
      'findings',
      'warnings',
      'replication',
      'updated_at',
      ...metricNames,
    ],
  ],
  (quoted) => `t.${quoted}`,
);

type EntryFacts = Pick<LeaderboardRow, 'system' | 'scenario' | 'runs' | 'source'> & {
  point: Omit<PointStatisticsRow, 'statistics'>;
  spread: Spread | null;
  rest: PackedStatistics | null;
};

/** A point with the statistics of what it ranks by. */
function toPoint({ point, spread, rest }: EntryFacts, { name }: Metric): PointStatisticsRow {
  const spreads = spread === null ? {} : { [name]: spread };
  const packed = { ...point, spreads, statistics: rest === null ? {} : { [name]: rest } };
  return { ...point, statistics: unpackMetrics(packed, [name]) };
}

/** The rest of ranked entries, in their order. Rows as text at once: made into jsonb before, they would take twice as long. */
export async function readEntries(
  tx: Transaction,
  rankBy: Metric,
  entries: readonly StoredEntry[],
  withRuns = true,
): Promise<LeaderboardRow[]> {
  if (entries.length === 0) return [];
  const stored = (await tx.execute(sql`
    select to_json(s) as system, to_json(sc) as scenario,
      (select to_json(q) from (
        select ${pointColumns}, p.load_mode, p.load_level, p.load_detail, p.kind) q) as point,
      t.spreads -> ${rankBy.name}::text as spread, t.statistics -> ${rankBy.name}::text as rest,
      coalesce((select json_agg(run order by run.id) from (
        select r.id, r.submission_id, r.repetition, r.${sql.identifier(rankBy.name)} as value
        from results r
        where ${ofClaim} and ${behindRow(rankBy)}
        order by r.id limit ${withRuns ? runsMax : 0}) run), '[]') as runs,
      (select f.source from results f where f.id = t.first_result_id and f.origin = 'imported') as source
    from ${theRows(entries.map(({ row }) => row))}
    join systems s on s.id = p.system_id
    join scenarios sc on sc.id = p.scenario_id
    order by asked.place`)) as unknown as EntryFacts[];
  return entries.map(({ value, rank, spread, assumed, interval, place: standsAt }, place) => {
    const found = stored[place];
    if (stored.length !== entries.length || found === undefined) throw new Error('a ranked point is not stored');
    const { system, scenario, runs, source } = found;
    const { pooled } = assumed ?? {};
    return {
      system,
      scenario,
      runs,
      source,
      point: toPoint(found, rankBy),
      value,
      rank,
      spread,
      place: standsAt,
      assumed: pooled === undefined ? null : { cv: pooled.cv, points: pooled.groups, interval },
    };
  });
}

/** Reads of one moment. */
export const atOneMoment = <T>(db: Database['db'], read: (tx: Transaction) => Promise<T>): Promise<T> =>
  db.transaction(read, { isolationLevel: 'repeatable read', accessMode: 'read only' });

/** A page of each system, or other subject, at its best point under the constraints, as `BoardWalk` of core ranks it. */
export function listLeaderboard(db: Database['db'], question: LeaderboardQuestion): Promise<Leaderboard> {
  return atOneMoment(db, async (tx) => {
    const { entries, workload, definitions, excluded } = await rankKeys(tx, question, question);
    return {
      excluded,
      definition: definitions[0] ?? null,
      hasMore: entries.length > question.limit,
      workload: await readWorkload(tx, workload),
      rows: await readEntries(tx, question.rankBy, entries.slice(0, question.limit), question.withRuns),
    };
  });
}
