import { type Metric, type MetricName, metricNames } from '@inferboard/core/metrics/index';
import type { EntryPlace, RankSpread } from '@inferboard/core/ranking/board';
import { boundMetrics, isBoundMetric } from '@inferboard/core/ranking/walked';
import type { Source } from '@inferboard/core/subjects/source';
import { type SQL, sql } from 'drizzle-orm';
import { type Prepared, prepared, value } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { columnList } from '../../copy/bulk.ts';
import { type PackedStatistics, type Spread, unpackMetrics } from '../../point-statistics/packed.ts';
import { rowKeys, theRows } from '../row-key.ts';
import type { StoredEntry } from '../stored-row.ts';
import { behindRow, ofClaim } from './filter-conditions.ts';
import type { PointStatisticsRow, RunRow, ScenarioRow, SystemRow } from './row-types.ts';

export interface LeaderboardRow {
  system: SystemRow;
  scenario: ScenarioRow;
  /** Contains the statistics of the ranked metric only. */
  point: PointStatisticsRow;
  /** The ranked metric's value. On cost boards, the rate of tokens per GPU that determines the cost. */
  value: number;
  /** Null for an entry that is listed without a rank. */
  rank: number | null;
  /** First and last possible rank of the entry, by its interval; null for an entry without a rank. */
  spread: RankSpread | null;
  /** Position in the order of the board. */
  place: EntryPlace;
  /** For a single measurement: its assumed interval, from the scatter of its tool's repeated points. */
  assumed: { cv: number; points: number; interval: [number, number] } | null;
  runs: RunRow[];
  /** Publication of the earliest result, if an operator imported it. */
  source: Source | null;
}

/** Maximum runs per entry; the result list has all of them. */
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

/** Returns rows as text: conversion to jsonb would double the time. */
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

/** Reads entries with one prepared statement per ranked metric. A request for other metrics gets an unprepared statement. */
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

/** A point with the statistics of the ranked metric. */
function toPoint({ point, spread, rest }: EntryFacts, { name }: Metric): PointStatisticsRow {
  const spreads = spread === null ? {} : { [name]: spread };
  const packed = { ...point, spreads, statistics: rest === null ? {} : { [name]: rest } };
  return { ...point, statistics: unpackMetrics(packed, [name]) };
}

/**
 * Reads the remaining fields of ranked entries, in their order.
 *
 * @param shown metrics to return in addition to the ranked one; null for all metrics and their results
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
