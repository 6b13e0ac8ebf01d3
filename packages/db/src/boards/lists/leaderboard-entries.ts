import { type Metric, type MetricName, metricNames } from '@inferboard/core/metrics/index';
import type { EntryPlace, RankSpread } from '@inferboard/core/ranking/board';
import { boundMetrics, isBoundMetric } from '@inferboard/core/ranking/walked';
import type { Source } from '@inferboard/core/subjects/source';
import { type SQL, sql } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import type { Database } from '../../connection/client.ts';
import { type Prepared, prepared, value } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { columnList } from '../../copy/bulk.ts';
import { type PackedStatistics, type Spread, unpackMetrics } from '../../point-statistics/packed.ts';
import { versionAtMoment } from '../../service/moment.ts';
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

/** The facts of an entry, the versions of the rows that they come from, and the version of the results when they were read. */
interface KeptFacts {
  revision: string;
  version: string | null;
  facts: ShortFacts;
}

/** Facts are null if the caller knows this revision. */
interface ReadFacts {
  revision: string;
  facts: ShortFacts | null;
}

/** Entries that are kept for one database, some kilobytes each. */
const keptMost = 4000;
const keptOf = new WeakMap<Database['db'], LRUCache<string, KeptFacts>>();

const runsOf = (rankBy: Metric): SQL => sql`
  coalesce((select json_agg(run order by run.id) from (
    select r.id, r.submission_id, r.repetition, r.${sql.identifier(rankBy.name)} as value
    from results r
    where ${ofClaim} and ${behindRow(rankBy)}
    order by r.id limit ${sql.raw(String(runsMax))}) run), '[]')`;

const columnsOf = (names: readonly string[], row: string) => columnList(names, (quoted) => `${row}.${quoted}`);
const asJson = (columns: SQL) => sql`(select to_json(q) from (select ${columns}) q)`;

type Reading<Facts> = Prepared<{ keys: string; metric: string }, Facts>;

const metricName = sql`${value('metric')}::text`;
const packed = sql`t.spreads -> ${metricName} as spread, t.statistics -> ${metricName} as rest`;
const withFacts = sql`${theRows(sql`${value('keys')}`)}
  join systems s on s.id = p.system_id
  join scenarios sc on sc.id = p.scenario_id`;

/** Returns the columns as text: conversion to jsonb would double the time. */
const fullReadingOf = (rankBy: Metric): Reading<EntryFacts> =>
  prepared(sql`
    select to_json(s) as system, to_json(sc) as scenario,
      ${asJson(sql`${columnsOf([...pointFacts, ...metricNames], 't')}, p.load_mode, p.load_level, p.load_detail, p.kind`)} as point,
      ${runsOf(rankBy)} as runs,
      (select f.source from results f where f.id = t.first_result_id and f.origin = 'imported') as source, ${packed}
    from ${withFacts}
    order by asked.place`);

/** Every change of a row gives it another `xmin`, on standbys as well. */
const shortReadingOf = (shown: readonly MetricName[]): Reading<ReadFacts> =>
  prepared(sql`
    select v.revision, case when v.revision is distinct from asked.revision then ${asJson(sql`
      ${asJson(columnsOf(namedSystem, 's'))} as system, ${asJson(sql`sc.name`)} as scenario,
      ${asJson(sql`${columnsOf([...shortPointFacts, ...shown], 't')}, p.load_mode, p.load_level, p.kind`)} as point, ${packed}`)}
      end as facts
    from ${withFacts}
    cross join lateral (select concat_ws(' ', t.xmin, p.xmin, s.xmin, sc.xmin)) v (revision)
    order by asked.place`);

const fullReadings = new Map<string, Reading<EntryFacts>>();
const usualShortReading = shortReadingOf(boundMetrics);
const shortReadings = new Map<string, Reading<ReadFacts>>();

/** Reads full entries with one prepared statement per ranked metric. */
function readFacts(tx: Transaction, rankBy: Metric, keys: string): Promise<EntryFacts[]> {
  const reading = fullReadings.get(rankBy.name) ?? fullReadingOf(rankBy);
  fullReadings.set(rankBy.name, reading);
  return reading(tx, { keys, metric: rankBy.name });
}

/** The statement for short entries, the same for all metrics that bounds often name; null if it is unusual. */
function shortReading(rankBy: Metric, shown: readonly MetricName[]): Reading<ReadFacts> | null {
  const others = new Set<MetricName>([rankBy.name, ...shown].filter((name) => !isBoundMetric(name)));
  if (others.size === 0) return usualShortReading;
  if (others.size > 1 || !others.has(rankBy.name)) return null;
  const reading = shortReadings.get(rankBy.name) ?? shortReadingOf([...boundMetrics, rankBy.name]);
  shortReadings.set(rankBy.name, reading);
  return reading;
}

/** Reads the facts of short entries, except those that are kept and unchanged. Within a version of the results, none changes. */
async function readShortFacts(
  { db, tx }: { db: Database['db']; tx: Transaction },
  rankBy: Metric,
  entries: readonly StoredEntry[],
  shown: readonly MetricName[],
): Promise<ShortFacts[]> {
  const rows = entries.map(({ row }) => row);
  const metric = rankBy.name;
  const reading = shortReading(rankBy, shown);
  if (reading === null) {
    const unusual = new Set([...boundMetrics, metric, ...shown]);
    const read = await shortReadingOf([...unusual])(tx, { keys: rowKeys(rows), metric }, { isUnusual: true });
    return read.flatMap(({ facts }) => facts ?? []);
  }
  const kept = keptOf.get(db) ?? new LRUCache<string, KeptFacts>({ max: keptMost });
  keptOf.set(db, kept);
  const version = await versionAtMoment(tx);
  const named = rows.map((row) => {
    const name = `${metric} ${row.pointId} ${row.status} ${row.variant}`;
    return { row, name, known: kept.get(name) };
  });
  const found = new Map(named.flatMap(({ name, known }) => (known === undefined ? [] : [[name, known.facts]])));
  const unsure = named.filter(({ known }) => version === null || known?.version !== version);
  if (unsure.length > 0) {
    const keys = rowKeys(
      unsure.map(({ row }) => row),
      unsure.map(({ known }) => known?.revision ?? null),
    );
    const read = await reading(tx, { keys, metric });
    if (read.length !== unsure.length) return [];
    for (const [place, { name, known }] of unsure.entries()) {
      const { revision = '', facts = null } = read[place] ?? {};
      const current = facts ?? known?.facts;
      if (current === undefined) continue;
      kept.set(name, { revision, version, facts: current });
      found.set(name, current);
    }
  }
  return named.flatMap(({ name }) => found.get(name) ?? []);
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

/** Reads the remaining fields of ranked entries, in their order. */
export async function readEntries(
  tx: Transaction,
  rankBy: Metric,
  entries: readonly StoredEntry[],
): Promise<LeaderboardRow[]> {
  if (entries.length === 0) return [];
  return pair(entries, await readFacts(tx, rankBy, rowKeys(entries.map(({ row }) => row)))).map(([entry, found]) => {
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
  db: Database['db'],
  tx: Transaction,
  rankBy: Metric,
  entries: readonly StoredEntry[],
  shown: readonly MetricName[],
): Promise<ShortLeaderboardRow[]> {
  if (entries.length === 0) return [];
  return pair(entries, await readShortFacts({ db, tx }, rankBy, entries, shown)).map(([entry, found]) => {
    const { system, scenario } = found;
    const ranked = toRanked(entry, found.point[rankBy.name] ?? null);
    return { isFull: false, ...ranked, system, scenario, point: toPoint(found, rankBy) };
  });
}
