import { type Metric, type MetricName, metricNames } from '@inferboard/core/metrics/index';
import type { EntryPlace, RankSpread } from '@inferboard/core/ranking/board';
import { boundMetrics, isBoundMetric } from '@inferboard/core/ranking/walked';
import type { Source } from '@inferboard/core/source';
import { type SQL, sql } from 'drizzle-orm';
import { rowKeys, theRows } from '../boards/row-key.ts';
import type { StoredEntry } from '../boards/stored-row.ts';
import { columnList } from '../bulk.ts';
import { type PackedStatistics, type Spread, unpackMetrics } from '../point-statistics/packed.ts';
import { type Prepared, prepared, value } from '../statement.ts';
import type { Transaction } from '../transaction.ts';
import { behindRow, ofClaim } from './filter-conditions.ts';
import type { PointStatisticsRow, RunRow, ScenarioRow, SystemRow } from './row-types.ts';

export interface LeaderboardRow {
  system: SystemRow;
  scenario: ScenarioRow;
  /** With the statistics of the ranked metric alone. */
  point: PointStatisticsRow;
  /** Of the ranked metric; where cost is ranked, of the rate of tokens per GPU that it follows from. */
  value: number;
  /** Null of an entry that is listed without a number. */
  rank: number | null;
  /** First and last place this entry could hold, by its interval; null of an entry without a number. */
  spread: RankSpread | null;
  /** Its place in the order of the board. */
  place: EntryPlace;
  /** Of a single measurement: the interval it ranks by, from the scatter of its tool's repeated points. */
  assumed: { cv: number; points: number; interval: [number, number] } | null;
  runs: RunRow[];
  /** Where the earliest of its results was published, if an operator imported it from there. */
  source: Source | null;
}

/** Runs shown with an entry at most; the result list has them all. */
const runsMax = 20;

const pointFacts = [
  ...['point_id', 'status', 'account_id', 'own_trust', 'variant', 'stands', 'disputed', 'definitions', 'derived'],
  ...['results', 'runs', 'first_result_id', 'trust', 'findings', 'warnings', 'replication', 'updated_at'],
];

type EntryFacts = Pick<LeaderboardRow, 'system' | 'scenario' | 'runs' | 'source'> & {
  point: Omit<PointStatisticsRow, 'statistics'>;
  spread: Spread | null;
  rest: PackedStatistics | null;
};

const runsOf = (rankBy: Metric): SQL => sql`
  coalesce((select json_agg(run order by run.id) from (
    select r.id, r.submission_id, r.repetition, r.${sql.identifier(rankBy.name)} as value
    from results r
    where ${ofClaim} and ${behindRow(rankBy)}
    order by r.id limit ${sql.raw(String(runsMax))}) run), '[]')`;

/** Rows as text at once: made into jsonb before, they would take twice as long. */
function readingOf(rankBy: Metric, shown: readonly MetricName[], runs: SQL): Prepared<{ keys: string }, EntryFacts> {
  const name = sql.raw(`'${rankBy.name}'`);
  const columns = columnList([...pointFacts, ...shown], (quoted) => `t.${quoted}`);
  return prepared(sql`
    select to_json(s) as system, to_json(sc) as scenario,
      (select to_json(q) from (select ${columns}, p.load_mode, p.load_level, p.load_detail, p.kind) q) as point,
      t.spreads -> ${name} as spread, t.statistics -> ${name} as rest, ${runs} as runs,
      (select f.source from results f where f.id = t.first_result_id and f.origin = 'imported') as source
    from ${theRows(sql`${value('keys')}`)}
    join systems s on s.id = p.system_id
    join scenarios sc on sc.id = p.scenario_id
    order by asked.place`);
}

const readings = new Map<string, Prepared<{ keys: string }, EntryFacts>>();

/** Reads entries by a statement for each ranked metric. One that tells other metrics is made for them, and not prepared. */
async function readFacts(tx: Transaction, rankBy: Metric, shown: readonly MetricName[] | null, keys: string) {
  const usual = [...new Set<MetricName>([rankBy.name, ...boundMetrics])];
  if (shown !== null && !shown.every((name) => name === rankBy.name || isBoundMetric(name)))
    return readingOf(rankBy, [...new Set([...usual, ...shown])], sql`'[]'::json`)(tx, { keys }, { isUnusual: true });
  const key = `${rankBy.name} ${shown === null}`;
  const reading =
    readings.get(key) ??
    (shown === null ? readingOf(rankBy, metricNames, runsOf(rankBy)) : readingOf(rankBy, usual, sql`'[]'::json`));
  readings.set(key, reading);
  return reading(tx, { keys });
}

/** A point with the statistics of what it ranks by. */
function toPoint({ point, spread, rest }: EntryFacts, { name }: Metric): PointStatisticsRow {
  const spreads = spread === null ? {} : { [name]: spread };
  const packed = { ...point, spreads, statistics: rest === null ? {} : { [name]: rest } };
  return { ...point, statistics: unpackMetrics(packed, [name]) };
}

/**
 * The rest of ranked entries, in their order.
 *
 * @param shown metrics of their points beside the ranked one; null for all, and the results behind them
 */
export async function readEntries(
  tx: Transaction,
  rankBy: Metric,
  entries: readonly StoredEntry[],
  shown: readonly MetricName[] | null = null,
): Promise<LeaderboardRow[]> {
  if (entries.length === 0) return [];
  const stored = await readFacts(tx, rankBy, shown, rowKeys(entries.map(({ row }) => row)));
  return entries.map(({ row: { scale }, value: figure, rank, spread, assumed, interval, place: standsAt }, place) => {
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
      value: found.point[rankBy.name] ?? figure / scale,
      rank,
      spread,
      place: standsAt,
      assumed:
        pooled === undefined
          ? null
          : { cv: pooled.cv, points: pooled.groups, interval: [interval[0] / scale, interval[1] / scale] },
    };
  });
}
