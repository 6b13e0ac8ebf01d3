import type { UsedFact } from '@inferboard/core/filters/fact-names';
import type { Filters } from '@inferboard/core/filters/filters';
import type { Metric } from '@inferboard/core/metrics/index';
import { signOf } from '@inferboard/core/ranking/walked';
import { sql } from 'drizzle-orm';
import { factColumns, groupOf, unnamedOf } from '../boards/derive.ts';
import { and, pointConditions } from '../boards/lists/filter-conditions.ts';
import { publishedText, textOf } from '../boards/lists/measured-time.ts';
import type { Queryable } from '../connection/transaction.ts';
import { singleResultConditions } from './history-results.ts';

/** How the day of a result is known: from its tool, from its publication, or it is the day of storing. */
export const dayBases = ['measured', 'published', 'stored'] as const;
export type DayBasis = (typeof dayBases)[number];

/** The best point of a model, GPU or other fact among those measured on one day, by one formula in one workload. */
export interface TrendDay {
  workload: string;
  /** The formula group; empty if the metric has one formula. */
  group: string;
  /** The key that groups systems: see `factColumns`. */
  key: string;
  day: string;
  dayIs: DayBasis;
  pointId: number;
  /** Results of the point on this day, at most `resultsMax`. */
  resultIds: string[];
}

/** Points without a place on a trend. */
export interface TrendOmission {
  workload: string;
  group: string;
  /** Bit mask of the unspecified facts: see `unnamedOf`. 0: the system is fully specified, and no date is known. */
  unnamed: number;
  points: number;
}

/** Maximum number of a point's results on one day to read. */
const resultsMax = 200;

/**
 * The best point of each day, for each value of a fact, in each workload and by each formula group. Counts the results of
 * representative claims that match the filters. A point's value on a day is the mean of its results of that day by one formula.
 * Imported results without a date have no day: the day of their import means nothing.
 */
export async function listTrendDays(
  db: Queryable,
  { metric, by, filters }: { metric: Metric; by: UsedFact; filters: Filters },
): Promise<{ days: TrendDay[]; omitted: TrendOmission[] }> {
  const value = sql`t.${sql.identifier(metric.name)}`;
  const best = sql.raw(signOf(metric) > 0 ? 'desc' : 'asc');
  const [found] = (await db.execute(sql`
    with dated as materialized (
      select coalesce(p.workload, sc.name) as workload, ${groupOf(metric.family, sql`t`)} as formula,
        t.definitions ->> ${metric.family.base}::text as definition, ${factColumns[by]} as key, ${unnamedOf} as unnamed, p.id::float8 as point_id, t.id, ${value} as value,
        ${textOf(sql`t.measured_at`)} as measured, ${publishedText(sql`t`)} as published,
        case when t.origin <> 'imported' then ${textOf(sql`t.created_at`)} end as stored
      from points p
      join systems s on s.id = p.system_id
      join scenarios sc on sc.id = p.scenario_id
      join results t on t.point_id = p.id
      where p.kind = ${metric.family.kind} and ${value} is not null
        and ${and([...singleResultConditions(filters), ...pointConditions(filters)])}),
    days as (
      select workload, formula, key, point_id, left(coalesce(measured, published, stored), 10) as day,
        min(case when measured is not null then 1 when published is not null then 2 else 3 end) as day_is,
        avg(value) as value, array_agg(id order by id) as ids
      from dated where unnamed = 0 and coalesce(measured, published, stored) is not null
      group by 1, 2, 3, 4, 5, definition),
    best as (
      select distinct on (workload, formula, key, day) * from days
      order by workload, formula, key, day, value ${best}, point_id, ids),
    omitted as (
      select workload, formula, unnamed, count(distinct point_id)::int as points from dated
      where unnamed <> 0 or coalesce(measured, published, stored) is null group by 1, 2, 3)
    select
      (select coalesce(jsonb_agg(jsonb_build_object('workload', workload, 'group', formula, 'key', key, 'day', day,
        'dayIs', (${sql`array['measured', 'published', 'stored']`})[day_is], 'pointId', point_id,
        'resultIds', to_jsonb(ids[1:${sql.raw(String(resultsMax))}])) order by workload, formula, key, day), '[]') from best) as days,
      (select coalesce(jsonb_agg(jsonb_build_object('workload', workload, 'group', formula, 'unnamed', unnamed,
        'points', points)), '[]') from omitted) as omitted`)) as unknown as {
    days: TrendDay[];
    omitted: TrendOmission[];
  }[];
  const isDate = ({ day }: TrendDay) => !Number.isNaN(Date.parse(day));
  return { days: found?.days.filter(isDate) ?? [], omitted: found?.omitted ?? [] };
}
