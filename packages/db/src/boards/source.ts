import type { Filters } from '@inferboard/core/filters/filters';
import type { Metric } from '@inferboard/core/metrics/index';
import type { MetricKind } from '@inferboard/core/metrics/metric';
import { requiredFacts } from '@inferboard/core/ranking/point-count';
import type { Dimension } from '@inferboard/core/ranking/subject';
import { isBoundMetric, isWalked, signOf } from '@inferboard/core/ranking/walked';
import type { ResultStatus } from '@inferboard/core/result';
import { type SQL, sql } from 'drizzle-orm';
import { texts } from '../bulk.ts';
import { and, boundConditions, pointConditions, someResult } from '../queries/filter-conditions.ts';
import { factColumns, groupOf, unnamedOf } from './derive.ts';
import type { ListedBoard } from './directory.ts';

/** Which points could be ranked, by any workload and formula. */
export interface Asking {
  kind: MetricKind;
  /** What a point needs a value of; none where any will do. The rows are of the first. */
  metrics: readonly Metric[];
  filters: Filters;
  /** What has one entry each, or a row and a column. */
  dimensions: readonly Dimension[];
}

/** Rows `r` of boards. With them `t`, their statistics, where `hasStatistics`. */
export interface Source {
  from: SQL;
  where: SQL[];
  hasStatistics: boolean;
  /** True where the best row of a system is among these rows if any of the system is. */
  isOfSystems: boolean;
}

export const statusesOf = ({ include }: Filters): readonly ResultStatus[] => ['accepted', ...include];

const asksOfSystems = (filters: Filters) =>
  [
    ...[filters.model, filters.modelFamily, filters.quantization, filters.gpu, filters.gpuCount],
    ...[filters.gpuPowerLimitW, filters.engine, filters.engineVersion, filters.system, filters.prices],
    filters.quality,
  ].some((asked) => asked !== undefined);

const asksOfLoads = ({ loadMode, loadLevel, minLoadLevel, maxLoadLevel }: Filters) =>
  [loadMode, loadLevel, minLoadLevel, maxLoadLevel].some((asked) => asked !== undefined);

export const asksOfSenders = ({ account, tool, since, until }: Filters) =>
  [account, tool, since, until].some((asked) => asked !== undefined);

/** The systems `s` and points `p` of rows, where filters ask for facts or loads. */
export const joinsOf = (filters: Filters, row: SQL): SQL => sql`
  ${asksOfSystems(filters) ? sql`join systems s on s.id = ${row}.system_id` : sql``}
  ${asksOfLoads(filters) ? sql`join points p on p.id = ${row}.point_id` : sql``}`;

/** Facts and loads; not workloads, which are chosen. */
const factConditions = ({ workload: _, regime: _r, ...filters }: Filters) => pointConditions(filters);

/** True where nothing is asked of points but their workload: what is counted in advance answers. */
export function isPlain({ filters, dimensions }: Pick<Asking, 'filters' | 'dimensions'>): boolean {
  const { trust, include, bounds } = filters;
  return (
    ![asksOfSystems(filters), asksOfLoads(filters), asksOfSenders(filters), trust !== undefined].includes(true) &&
    include.length === 0 &&
    bounds.length === 0 &&
    requiredFacts({ filters, dimensions }) === requiredFacts({ filters, dimensions: ['system'] })
  );
}

/** Whether systems are counted in advance for the first of the metrics that are asked for. */
export const isCounted = ({ metrics }: Pick<Asking, 'metrics'>) => metrics.slice(0, 1).every(isWalked);

/** The rows of a metric that is sorted when somebody asks, in the form of those that are kept in order. */
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
    where c.stands and ${column} is not null and p.kind = ${kind}) r`;
}

/** Rows of all boards of a metric, or of those that every point is on. */
function rowsOf(metric: Metric | undefined, kind: MetricKind): SQL {
  if (metric !== undefined && !isWalked(metric)) return sortedRows(metric, kind);
  return sql`(
    select o.*, b.workload, b.definition_group from boards b join board_rows o on o.board_id = b.id
    where b.metric = ${metric?.name ?? ''} and b.kind = ${kind}) r`;
}

/** Conditions on statistics `t` of a row: its other metrics, bounds, and who sent its results. */
function statisticsConditions({ metrics, filters }: Asking): SQL[] {
  const [ranked, ...others] = metrics;
  return [
    ...others.map(({ name }) => sql`t.${sql.identifier(name)} is not null`),
    ...boundConditions(filters.bounds),
    ...someResult(filters, ranked),
  ];
}

/**
 * Whether `board_figures` has every value that a question asks of rows, so that their wide statistics are not read. It has no
 * definitions.
 */
export const isOfFigures = ({ metrics, filters }: Asking): boolean =>
  [...metrics.map(({ name }) => name), ...filters.bounds.map(({ metric }) => metric)].every(isBoundMetric) &&
  !asksOfSenders(filters);

/**
 * @param statuses those of the filters if nothing else is said
 * @param figures the board that holds every point of the workload, where `isOfFigures`: `t` are rows of `board_figures` then
 */
export function sourceOf(
  asking: Asking,
  statuses: readonly ResultStatus[] = statusesOf(asking.filters),
  figures: ListedBoard | null = null,
): Source {
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
    const table =
      figures === null
        ? sql`(select * from point_statistics where stands)`
        : sql`(select * from board_figures where board_id = ${figures.id})`;
    joins.push(sql`join ${table} t on t.point_id = r.point_id and t.status = r.status ${ofVariant}`);
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

/**
 * True for the row that its point takes part with: the first of its variants that meet everything, by formulas that are
 * compared.
 */
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

/** What tells the subjects of a dimension apart, as text: what has no id by its name. */
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
