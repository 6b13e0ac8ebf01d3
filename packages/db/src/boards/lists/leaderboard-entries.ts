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
import type { NamedSystemRow, PointStatisticsRow, RunRow, ScenarioRow, ShortPointRow, SystemRow } from './row-types.ts';

/** The rank of an entry, and what it ranks by. */
interface RankedEntry {
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
}

export interface LeaderboardRow extends RankedEntry {
  isFull: true;
  system: SystemRow;
  scenario: ScenarioRow;
  /** Contains the statistics of the ranked metric only. */
  point: PointStatisticsRow;
  runs: RunRow[];
  /** Publication of the earliest result, if an operator imported it. */
  source: Source | null;
}

/** An entry with the fields of a short list only. */
export interface ShortLeaderboardRow extends RankedEntry {
  isFull: false;
  system: NamedSystemRow;
  scenario: Pick<ScenarioRow, 'name'>;
  /** Contains the statistics of the ranked metric only. */
  point: ShortPointRow;
}

/** Maximum runs per entry; the result list has all of them. */
const runsMax = 20;

const pointFacts = [
  ...['point_id', 'status', 'account_id', 'own_trust', 'variant', 'stands', 'disputed', 'definitions', 'derived'],
  ...['results', 'runs', 'first_result_id', 'trust', 'findings', 'warnings', 'replication', 'updated_at'],
];

const namedSystem = [
  ...['id', 'model_id', 'model_family', 'model_name', 'quantization_id', 'quantization_name'],
  ...[
    'gpu_id',
    'gpu_family',
    'gpu_name',
    'gpu_count',
    'gpu_power_limit_w',
    'engine_id',
    'engine_name',
    'engine_version',
  ],
] as (keyof NamedSystemRow)[];
const shortPointFacts: (keyof ShortPointRow)[] = [
  'point_id',
  'status',
  'definitions',
  'derived',
  'results',
  'trust',
  'findings',
];

interface PackedPoint {
  spread: Spread | null;
  rest: PackedStatistics | null;
}

type EntryFacts = Pick<LeaderboardRow, 'system' | 'scenario' | 'runs' | 'source'> &
  PackedPoint & { point: Omit<PointStatisticsRow, 'statistics'> };

type ShortFacts = Pick<ShortLeaderboardRow, 'system' | 'scenario'> &
  PackedPoint & { point: Omit<ShortPointRow, 'statistics'> };

const runsOf = (rankBy: Metric): SQL => sql`
  coalesce((select json_agg(run order by run.id) from (
    select r.id, r.submission_id, r.repetition, r.${sql.identifier(rankBy.name)} as value
    from results r
    where ${ofClaim} and ${behindRow(rankBy)}
    order by r.id limit ${sql.raw(String(runsMax))}) run), '[]')`;

const columnsOf = (names: readonly string[], row: string) => columnList(names, (quoted) => `${row}.${quoted}`);
const asJson = (columns: SQL) => sql`(select to_json(q) from (select ${columns}) q)`;

type Reading<Facts> = Prepared<{ keys: string; metric: string }, Facts>;

/** Returns the columns as text: conversion to jsonb would double the time. */
function readingOf<Facts>(columns: SQL): Reading<Facts> {
  const metric = sql`${value('metric')}::text`;
  return prepared(sql`
    select ${columns}, t.spreads -> ${metric} as spread, t.statistics -> ${metric} as rest
    from ${theRows(sql`${value('keys')}`)}
    join systems s on s.id = p.system_id
    join scenarios sc on sc.id = p.scenario_id
    order by asked.place`);
}

const fullReadingOf = (rankBy: Metric): Reading<EntryFacts> =>
  readingOf(sql`to_json(s) as system, to_json(sc) as scenario,
    ${asJson(sql`${columnsOf([...pointFacts, ...metricNames], 't')}, p.load_mode, p.load_level, p.load_detail, p.kind`)} as point,
    ${runsOf(rankBy)} as runs,
    (select f.source from results f where f.id = t.first_result_id and f.origin = 'imported') as source`);

const shortReadingOf = (shown: readonly MetricName[]): Reading<ShortFacts> =>
  readingOf(sql`${asJson(columnsOf(namedSystem, 's'))} as system, ${asJson(sql`sc.name`)} as scenario,
    ${asJson(sql`${columnsOf([...shortPointFacts, ...shown], 't')}, p.load_mode, p.load_level, p.kind`)} as point`);

const fullReadings = new Map<string, Reading<EntryFacts>>();
const usualShortReading = shortReadingOf(boundMetrics);
const shortReadings = new Map<string, Reading<ShortFacts>>();

/** Reads full entries with one prepared statement per ranked metric. */
function readFacts(tx: Transaction, rankBy: Metric, keys: string): Promise<EntryFacts[]> {
  const reading = fullReadings.get(rankBy.name) ?? fullReadingOf(rankBy);
  fullReadings.set(rankBy.name, reading);
  return reading(tx, { keys, metric: rankBy.name });
}

/** Reads short entries, with the same prepared statement for all metrics that bounds often name. */
function readShortFacts(tx: Transaction, rankBy: Metric, shown: readonly MetricName[], keys: string) {
  const values = { keys, metric: rankBy.name };
  const others = new Set<MetricName>([rankBy.name, ...shown].filter((name) => !isBoundMetric(name)));
  if (others.size === 0) return usualShortReading(tx, values);
  const isOfRanked = others.size === 1 && others.has(rankBy.name);
  if (!isOfRanked) return shortReadingOf([...boundMetrics, ...others])(tx, values, { isUnusual: true });
  const reading = shortReadings.get(rankBy.name) ?? shortReadingOf([...boundMetrics, rankBy.name]);
  shortReadings.set(rankBy.name, reading);
  return reading(tx, values);
}

/** A point with the statistics of the ranked metric. */
function toPoint<Point extends Pick<PointStatisticsRow, 'results'>>(
  { point, spread, rest }: PackedPoint & { point: Point },
  { name }: Metric,
): Point & Pick<PointStatisticsRow, 'statistics'> {
  const spreads = spread === null ? {} : { [name]: spread };
  const packed = { ...point, spreads, statistics: rest === null ? {} : { [name]: rest } };
  return { ...point, statistics: unpackMetrics(packed, [name]) };
}

/** The rank of an entry with the value that is stored in full. */
function toRanked(
  { row: { scale }, value, rank, spread, assumed, interval, place }: StoredEntry,
  stored: number | null,
): RankedEntry {
  const { pooled } = assumed ?? {};
  return {
    value: stored ?? value / scale,
    rank,
    spread,
    place,
    assumed:
      pooled === undefined
        ? null
        : { cv: pooled.cv, points: pooled.groups, interval: [interval[0] / scale, interval[1] / scale] },
  };
}

function pair<Facts>(entries: readonly StoredEntry[], stored: readonly Facts[]): [StoredEntry, Facts][] {
  return entries.map((entry, place) => {
    const found = stored[place];
    if (stored.length !== entries.length || found === undefined) throw new Error('a ranked point is not stored');
    return [entry, found];
  });
}

const keysOf = (entries: readonly StoredEntry[]) => rowKeys(entries.map(({ row }) => row));

/** Reads the remaining fields of ranked entries, in their order. */
export async function readEntries(
  tx: Transaction,
  rankBy: Metric,
  entries: readonly StoredEntry[],
): Promise<LeaderboardRow[]> {
  if (entries.length === 0) return [];
  return pair(entries, await readFacts(tx, rankBy, keysOf(entries))).map(([entry, found]) => {
    const { system, scenario, runs, source } = found;
    const ranked = toRanked(entry, found.point[rankBy.name] ?? null);
    return { isFull: true, ...ranked, system, scenario, runs, source, point: toPoint(found, rankBy) };
  });
}

/**
 * Reads the fields of a short list, in the order of the entries.
 *
 * @param shown metrics to return in addition to the ranked one
 */
export async function readShortEntries(
  tx: Transaction,
  rankBy: Metric,
  entries: readonly StoredEntry[],
  shown: readonly MetricName[],
): Promise<ShortLeaderboardRow[]> {
  if (entries.length === 0) return [];
  return pair(entries, await readShortFacts(tx, rankBy, shown, keysOf(entries))).map(([entry, found]) => {
    const { system, scenario } = found;
    const ranked = toRanked(entry, found.point[rankBy.name] ?? null);
    return { isFull: false, ...ranked, system, scenario, point: toPoint(found, rankBy) };
  });
}
