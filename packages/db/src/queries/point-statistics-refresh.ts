import type { Repeats } from '@inferboard/core/adapters/adapter';
import { type MetricName, metricNames } from '@inferboard/core/metrics/index';
import { type Trust, trustLevels } from '@inferboard/core/result';
import { type PointStatistics, pointStatistics } from '@inferboard/core/statistics/point-statistics';
import { sql } from 'drizzle-orm';
import { insertRows } from '../bulk.ts';
import type { Row } from '../rows.ts';
import type { Transaction } from '../transaction.ts';

interface ResultRow extends Partial<Record<MetricName, number | null>> {
  id: string;
  point_id: number;
  status: string;
  trust: Trust;
  definitions: Record<string, string>;
  definition_set: string;
  derived: string[];
  /** Absent nulls stay absent: the row travels without them. */
  repeats?: Partial<Repeats>;
  findings: number;
}

const columns = [
  'point_id',
  'status',
  'definition_set',
  'definitions',
  'derived',
  'results',
  'trust',
  'findings',
  'statistics',
  ...metricNames,
];

/** One metric's statistics over results of the same formulas, its outliers named by result. */
function statisticsOf(metric: MetricName, rows: ResultRow[]): (PointStatistics & { outliers: unknown[] }) | null {
  const given = rows.flatMap((row) => {
    const value = row[metric];
    return value == null ? [] : [{ row, value }];
  });
  if (given.length === 0) return null;
  const statistics = pointStatistics(
    given.map(({ row, value }) => {
      if (row.repeats === undefined) return { value, repeats: null };
      const { n = null, sd, samples } = row.repeats;
      return { value, repeats: { n, sd: sd?.[metric] ?? null, samples: samples?.[metric] ?? null } };
    }),
  );
  const oneEach = statistics.basis === 'results';
  return {
    ...statistics,
    outliers: statistics.outliers.map((outlier) => ({
      ...outlier,
      result_id: oneEach ? (given[outlier.index]?.row.id ?? null) : null,
    })),
  };
}

function toStatisticsRow(rows: ResultRow[]): Row {
  const [first] = rows;
  if (first === undefined) throw new Error('statistics of no results');
  const entries = metricNames.flatMap((metric) => {
    const statistics = statisticsOf(metric, rows);
    return statistics === null ? [] : [[metric, statistics] as const];
  });
  const trust = trustLevels.find((level) => rows.some((row) => row.trust === level)) ?? 'self_reported';
  return {
    point_id: first.point_id,
    status: first.status,
    definition_set: first.definition_set,
    definitions: first.definitions,
    derived: first.derived,
    results: rows.length,
    trust,
    findings: rows.reduce((sum, row) => sum + Number(row.findings), 0),
    statistics: Object.fromEntries(entries),
    ...Object.fromEntries(entries.map(([metric, { mean }]) => [metric, mean])),
  };
}

/**
 * Computes the statistics of points anew from their results, in the caller's transaction. Points are locked in the
 * order of their ids first, so that simultaneous submissions to one point see each other's results and never deadlock
 * (a plain `for update` would: inserting a result already shares a lock on its point's key).
 */
export async function refreshPointStatistics(tx: Transaction, pointIds: readonly number[]): Promise<void> {
  const ids = JSON.stringify([...new Set(pointIds)].sort((a, b) => a - b));
  const wanted = sql`(select value::bigint from jsonb_array_elements_text(${ids}::jsonb))`;
  await tx.execute(sql`select id from points where id in ${wanted} order by id for no key update`);
  const rows = (await tx.execute(sql`
    select jsonb_strip_nulls(to_jsonb(r)) || jsonb_build_object('findings', (
      select count(*) from findings f where f.result_id = r.id)) as row
    from results r where r.point_id in ${wanted} order by r.id`)) as unknown as { row: ResultRow }[];
  const groups = new Map<string, ResultRow[]>();
  for (const { row } of rows) {
    const key = JSON.stringify([row.point_id, row.status, row.definition_set]);
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  await tx.execute(sql`delete from point_statistics where point_id in ${wanted}`);
  await insertRows(tx, 'point_statistics', columns, [...groups.values()].map(toStatisticsRow));
}
