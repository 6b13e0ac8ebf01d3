import type { Filters } from '@inferboard/core/filters/filters';
import type { Metric } from '@inferboard/core/metrics/index';
import type { MetricKind } from '@inferboard/core/metrics/metric';
import { requiredFacts } from '@inferboard/core/ranking/point-count';
import type { Dimension } from '@inferboard/core/ranking/subject';
import { isWalked, signOf } from '@inferboard/core/ranking/walked';
import type { ResultStatus } from '@inferboard/core/subjects/result';
import { type SQL, sql } from 'drizzle-orm';
import { texts } from '../copy/bulk.ts';
import { factColumns, groupOf, hasRanked, unnamedOf } from './derive.ts';
import { and, boundConditions, pointConditions, someResult } from './lists/filter-conditions.ts';

/** Selects rankable points, by any workload and formula. */
export interface Asking {
  kind: MetricKind;
  /** Metrics that a point must have; empty for any. The rows are those of the first metric. */
  metrics: readonly Metric[];
  filters: Filters;
  /** The subjects of entries, or of rows and columns. */
  dimensions: readonly Dimension[];
}

/** Board rows `r`, and their statistics `t` if `hasStatistics`. */
export interface Source {
  from: SQL;
  where: SQL[];
  hasStatistics: boolean;
  /** True if a system's best row is among these rows whenever the system has any row among them. */
  isOfSystems: boolean;
}

export const statusesOf = ({ include }: Filters): readonly ResultStatus[] => ['accepted', ...include];

export const asksOfSystems = (filters: Filters) =>
  [
    ...[filters.model, filters.modelFamily, filters.quantization, filters.gpu, filters.gpuCount],
    ...[filters.gpuPowerLimitW, filters.engine, filters.engineVersion, filters.system, filters.prices],
    ...[
      filters.quality,
      filters.minGpuCount,
      filters.maxGpuCount,
      filters.minGpuPowerLimitW,
      filters.maxGpuPowerLimitW,
    ],
    ...[filters.notModel, filters.notGpu, filters.notQuantization, filters.notEngine],
  ].some((asked) => asked !== undefined);

const asksOfLoads = ({ loadMode, loadLevel, minLoadLevel, maxLoadLevel, minContext }: Filters) =>
  [loadMode, loadLevel, minLoadLevel, maxLoadLevel, minContext].some((asked) => asked !== undefined);

export const asksOfSenders = ({ account, tool, since, until }: Filters) =>
  [account, tool, since, until].some((asked) => asked !== undefined);

/** Joins the systems `s` and points `p` of rows if the filters need them. */
export const joinsOf = (filters: Filters, row: SQL): SQL => sql`
  ${asksOfSystems(filters) ? sql`join systems s on s.id = ${row}.system_id` : sql``}
  ${asksOfLoads(filters) ? sql`join points p on p.id = ${row}.point_id` : sql``}`;

/** Conditions on facts and loads. Excludes workloads, which are chosen separately. */
const factConditions = ({ workload: _, regime: _r, ...filters }: Filters) => pointConditions(filters);

/** True if only the workload is filtered, so that precomputed counts apply. */
export function isPlain({ filters, dimensions }: Pick<Asking, 'filters' | 'dimensions'>): boolean {
  const { trust, include, bounds } = filters;
  return (
    ![asksOfSystems(filters), asksOfLoads(filters), asksOfSenders(filters), trust !== undefined].includes(true) &&
    include.length === 0 &&
    bounds.length === 0 &&
    requiredFacts({ filters, dimensions }) === requiredFacts({ filters, dimensions: ['system'] })
  );
}

/** Whether precomputed system counts exist for the first requested metric. */
export const isCounted = ({ metrics }: Pick<Asking, 'metrics'>) => metrics.slice(0, 1).every(isWalked);

/** Rows of a metric that is sorted per request, in the format of the stored rows. */
function sortedRows({ name, family, ...metric }: Metric, kind: MetricKind): SQL {
  const column = sql`c.${sql.identifier(name)}`;
  return sql`(
    select null::int as board_id, c.point_id, c.status, c.variant, p.system_id, ${sql.raw(String(signOf({ family, ...metric } as Metric)))} * ${column} as worth,
      case when c.spreads ? ${name} then (c.spreads -> ${name} ->> 0)::int else 1 end as n,
      (c.spreads -> ${name} ->> 1)::double precision as sd,
      coalesce((select array_agg(tool) from jsonb_array_elements_text(c.spreads -> ${name} -> 2) tool), c.tools) as tools,
      c.trust, c.disputed, ${unnamedOf} as unnamed, false as is_first, false as is_best,
      coalesce(p.workload, '') as workload, ${groupOf(family, sql`c`)} as definition_group
    from point_statistics c
    join points p on p.id = c.point_id
    join systems s on s.id = p.system_id
    where c.stands and ${hasRanked({ name, family }, sql`c`)} and p.kind = ${kind}) r`;
}

/** Rows of all boards of a metric, or of the boards that contain every point. */
function rowsOf(metric: Metric | undefined, kind: MetricKind): SQL {
  if (metric !== undefined && !isWalked(metric)) return sortedRows(metric, kind);
  return sql`(
    select o.*, b.workload, b.definition_group from boards b join board_rows o on o.board_id = b.id
    where b.metric = ${metric?.name ?? ''} and b.kind = ${kind}) r`;
}

/** Conditions on a row's statistics `t`: other metrics, bounds, and account, tool and time. */
function statisticsConditions({ metrics, filters }: Asking): SQL[] {
  const [ranked, ...others] = metrics;
  return [
    ...others.map((other) => hasRanked(other, sql`t`)),
    ...boundConditions(filters.bounds),
    ...someResult(filters, ranked),
  ];
}

/**
 * Builds the row source of a request.
 *
 * @param statuses defaults to those of the filters
 */
export function sourceOf(asking: Asking, statuses: readonly ResultStatus[] = statusesOf(asking.filters)): Source {
  const { kind, metrics, filters, dimensions } = asking;
  const [metric] = metrics;
  const ofStatistics = statisticsConditions(asking);
  const hasStatistics = ofStatistics.length > 0;
  const joins = [rowsOf(metric, kind)];
  if (asksOfSystems(filters) || dimensions.some((dimension) => dimension !== 'system'))
    joins.push(sql`join systems s on s.id = r.system_id`);
  if (asksOfLoads(filters) || dimensions.some((dimension) => dimension === 'load' || dimension === 'scenario'))
    joins.push(sql`join points p on p.id = r.point_id`);
  if (dimensions.includes('scenario')) joins.push(sql`join scenarios sc on sc.id = p.scenario_id`);
  const ofVariant = metric === undefined ? sql`` : sql`and t.variant = r.variant`;
  if (hasStatistics) {
    joins.push(
      sql`join point_statistics t on t.stands and t.point_id = r.point_id and t.status = r.status ${ofVariant}`,
    );
  }
  const where = [sql`r.status = any(${texts(statuses)})`, ...factConditions(filters), ...ofStatistics];
  const required = requiredFacts(asking);
  if (required !== 0) where.push(sql`(r.unnamed & ${sql.raw(String(required))}) = 0`);
  if (filters.trust) where.push(sql`r.trust = any(${texts(filters.trust)})`);
  const isOfSystems =
    metric !== undefined &&
    isWalked(metric) &&
    !hasStatistics &&
    !asksOfLoads(filters) &&
    filters.trust === undefined &&
    statuses.length === 1 &&
    statuses[0] === 'accepted';
  return { from: sql.join(joins, sql` `), where, hasStatistics, isOfSystems };
}

/** True for the row that represents its point: the first matching variant by compared formulas. */
export function takesPart(asking: Asking, { hasStatistics }: Source): SQL {
  const { metrics } = asking;
  const [metric, ...others] = metrics;
  if (metric === undefined || (isWalked(metric) && !hasStatistics)) return sql`r.is_first`;
  const group = ({ family }: Metric) => groupOf(family, sql`t`);
  const same = [
    sql`${group(metric)} = r.definition_group`,
    ...others.map((other) => sql`${group(other)} = (select ${group(other)} from (select own.definitions) t)`),
  ];
  return sql`(r.variant = 0 or not exists (
    select 1 from point_statistics own, point_statistics t
    where own.point_id = r.point_id and own.status = r.status and own.variant = r.variant and own.stands
      and t.point_id = r.point_id and t.status = r.status and t.stands and t.variant < r.variant
      and t.${sql.identifier(metric.name)} is not null and ${and([...statisticsConditions(asking), ...same])}))`;
}

/** Text key of a dimension's subjects: the id, or the name if there is no id. */
const subjects: Record<Dimension, SQL> = {
  ...factColumns,
  model_family: sql`coalesce(s.model_family, s.model_key)`,
  gpu_count: sql`coalesce(s.gpu_count::text, '')`,
  scenario: sql`sc.name`,
  workload: sql`r.workload`,
  system: sql`r.system_id`,
  load: sql`concat(p.load_mode, ' ', p.load_level)`,
};

export const subjectOf = (dimension: Dimension): SQL => subjects[dimension];
