import type { UsedFact } from '@inferboard/core/filters/fact-names';
import { type Metric, metricNames, metrics, unrankedGroups } from '@inferboard/core/metrics/index';
import type { MetricFamily } from '@inferboard/core/metrics/metric';
import { usualReach } from '@inferboard/core/ranking/board';
import { boundMetrics, isWalked, signOf } from '@inferboard/core/ranking/walked';
import { unspecified } from '@inferboard/core/subjects/system';
import { type SQL, sql } from 'drizzle-orm';
import { columnList, texts } from '../copy/bulk.ts';

// SQL that derives the board tables from point_statistics. It interpolates names from the registry only, never user input.

const text = (value: string) => `'${value.replaceAll("'", "''")}'`;

/** Bit mask of the unspecified facts of a system `s`, encoded as in `boardRows.unnamed`. */
export const unnamedOf: SQL = sql.raw(`(
  (s.model_id is null and s.model_family is null and s.model_key = ${text(unspecified)})::int
  + 2 * (s.gpu_id is null and s.gpu_family is null and s.gpu_key = ${text(unspecified)})::int
  + 4 * (s.quantization_id is null and s.quantization_key = ${text(unspecified)})::int)::smallint`);

/** The key that counts group a system `s` by: the catalogue id, else the family, else the name. */
export const factColumns: Record<UsedFact, SQL> = {
  model: sql`coalesce(s.model_id, s.model_family, s.model_key)`,
  gpu: sql`coalesce(s.gpu_id, s.gpu_family, s.gpu_key)`,
  // Recipes are distinct: w8a8-int8 made by smooth_gptq differs from plain w8a8-int8. The catalogue parses the key.
  quantization: sql`case when s.quantization_id is null then s.quantization_key else array_to_string(
    array[s.quantization_id] || array(select step from unnest(s.quantization_recipe) step order by step collate "C"), '_') end`,
  engine: sql`coalesce(s.engine_id, s.engine_key)`,
};

/** Rows (fact, name) for a system `s`: one for the total, and one for each fact that counts group by. */
export const countedBy = (facts: readonly UsedFact[]): SQL => sql`
  (values ('', ''), ${sql.join(
    facts.map((fact) => sql`(${sql.raw(`'${fact}'`)}, ${factColumns[fact]})`),
    sql`, `,
  )}) k(fact, name)`;

const arrayOf = (items: readonly (string | number | boolean)[], type: string) => `'{${items.join(',')}}'::${type}[]`;

/**
 * Rows (metric, base, is_walked, sign, value) from a row of point_statistics. Constant arrays avoid evaluating one expression
 * per metric and row.
 */
const figuresOf = (row: string): SQL =>
  sql.raw(`unnest(
    ${arrayOf(metricNames, 'text')},
    ${arrayOf(
      metrics.map(({ family }) => family.base),
      'text',
    )},
    ${arrayOf(metrics.map(isWalked), 'bool')},
    ${arrayOf(metrics.map(signOf), 'int')},
    array[${metricNames.map((name) => `${row}."${name}"`).join(', ')}]) f(metric, base, is_walked, sign, value)`);

const families = [...new Set(metrics.map(({ family }) => family))];

/** Rows (base, definition, definition_group, is_ranked): the groups of the registry's formulas. */
const groups: SQL = sql.raw(
  `(values ${families
    .flatMap(({ base, definitions }: MetricFamily) =>
      definitions.map(
        ({ id, group, unranked }) => `(${text(base)}, ${text(id)}, ${text(group)}, ${unranked === undefined})`,
      ),
    )
    .join(', ')}) g(base, definition, definition_group, is_ranked)`,
);

/** The formula group of a row's values of a metric base; empty if none is recorded. */
export function groupOf({ base, definitions }: MetricFamily, row: SQL): SQL {
  if (definitions.length === 0) return sql`''`;
  const cases = definitions.map(({ id, group }) => `when ${text(id)} then ${text(group)}`).join(' ');
  return sql`(case ${row}.definitions ->> ${sql.raw(text(base))} ${sql.raw(cases)} else '' end)`;
}

/** True if a row has a value of a metric by a formula that is ranked. */
export function hasRanked({ name, family }: Pick<Metric, 'name' | 'family'>, row: SQL): SQL {
  const column = sql`${row}.${sql.identifier(name)}`;
  const unranked = unrankedGroups(family);
  return unranked.length === 0
    ? sql`${column} is not null`
    : sql`(${column} is not null and ${groupOf(family, row)} <> all(${texts(unranked)}))`;
}

/** The columns of board rows that bounds and facts test. */
const testedColumns = ['model', 'gpu', ...boundMetrics];
const testedOf = (row: string) => columnList(testedColumns, (quoted) => `${row}.${quoted}`);

/**
 * Common table expressions over the representative claims of some points: `claims` has one row per variant; `figures`, one per
 * variant and metric; `shapes`, one per point and status.
 *
 * @param where condition on rows `t` of point_statistics
 */
export function derivedFrom(where: SQL): SQL {
  return sql`
    claims as materialized (
      select p.kind, coalesce(p.workload, '') as workload, p.system_id, ${unnamedOf} as unnamed,
        ${factColumns.model} as model, ${factColumns.gpu} as gpu, t.point_id, t.status,
        t.variant, t.trust, t.disputed, t.tools, t.spreads <> '{}' as has_spreads,
        -- Unpacked once, and not for every figure.
        t.definitions || '{}' as definitions, t.spreads || '{}' as spreads, ${columnList(metricNames, (quoted) => `t.${quoted}`)}
      from point_statistics t
      join points p on p.id = t.point_id
      join systems s on s.id = p.system_id
      where t.stands and ${where}),
    figures as materialized (
      select c.point_id, c.status, c.variant, c.kind, c.workload, c.system_id, c.unnamed, c.trust, c.disputed,
        ${testedOf('c')}, f.metric, f.is_walked and g.is_ranked is not false as is_walked, coalesce(g.definition_group, '') as definition_group, f.sign * f.value as worth,
        -- Most points are one value of each metric, and have no spreads.
        case when c.has_spreads and c.spreads ? f.metric then (c.spreads -> f.metric ->> 0)::int else 1 end as n,
        case when c.has_spreads then (c.spreads -> f.metric ->> 1)::double precision end as sd,
        case when c.has_spreads and c.spreads -> f.metric -> 2 is not null
          then (select array_agg(tool) from jsonb_array_elements_text(c.spreads -> f.metric -> 2) tool) else c.tools end as tools
      from claims c
      cross join lateral ${figuresOf('c')}
      left join ${groups} on g.base = f.base and g.definition = c.definitions ->> f.base
      where f.value is not null),
    shapes as materialized (
      select c.point_id, c.status, min(c.kind) as kind, min(c.workload) as workload, min(c.system_id) as system_id,
        min(c.trust) as trust, min(c.unnamed) as unnamed,
        string_agg(coalesce(v.metrics, ''), '|' order by c.variant) as shape
      from claims c
      left join (
        select f.point_id, f.status, f.variant, string_agg(f.metric || ':' || f.definition_group, ',' order by f.metric) as metrics
        from figures f group by f.point_id, f.status, f.variant) v using (point_id, status, variant)
      group by c.point_id, c.status)`;
}

/** Half-width of the 95 % interval of a mean by Student's t, rounded up. For n above 6, the quantile for n = 7 applies. */
const halfWidth = sql.raw(
  `(case f.n when 2 then 12.71 when 3 then 4.31 when 4 then 3.19 when 5 then 2.78 when 6 then 2.58 else 2.45 end * f.sd / sqrt(f.n))`,
);

/** The better end of a wide interval; null for the others. Values that count as one have an unknown spread. */
const reach = sql`
  case when f.n >= 2 and ${halfWidth} > ${sql.raw(String(usualReach))} * abs(f.worth) then f.worth + ${halfWidth} end`;

/** Whether the row is the first variant of its point on its board. Only points with a second variant are searched. */
const isFirst = sql`(f.variant = 0 or (f.point_id, f.status, f.metric, f.definition_group, f.variant) in (
  select point_id, status, metric, definition_group, min(variant) from figures
  where is_walked and point_id in (select point_id from figures where variant > 0)
  group by point_id, status, metric, definition_group))`;

/** The columns of `board_rows` that `freshRows` selects. */
export const freshColumns: readonly string[] = [
  ...[
    'board_id',
    'point_id',
    'status',
    'variant',
    'system_id',
    'worth',
    'n',
    'sd',
    'reach',
    'tools',
    'trust',
    'disputed',
  ],
  ...['unnamed', 'is_first', ...testedColumns],
];

/** Selects board rows. `boardOf` joins the board `b` of a row. */
const rowsOn = (boardOf: (row: string, metric: SQL, group: SQL) => SQL): SQL => sql`
  select b.id as board_id, f.point_id, f.status, f.variant, f.system_id, f.worth, f.n, f.sd, ${reach} as reach, f.tools, f.trust, f.disputed,
    f.unnamed, ${isFirst} as is_first, ${testedOf('f')}
  from figures f ${boardOf('f', sql`f.metric`, sql`f.definition_group`)}
  where f.is_walked
  union all
  select b.id, h.point_id, h.status, 0::smallint, h.system_id, 0, 1, null, null, '{}', h.trust, false, h.unnamed, true,
    ${sql.raw(testedColumns.map(() => 'null').join(', '))}
  from shapes h ${boardOf('h', sql`''`, sql`''`)}`;

const isBoardOf = (row: string, metric: SQL, group: SQL) => sql`
  b.metric = ${metric} and b.kind = ${sql.raw(row)}.kind and b.workload = ${sql.raw(row)}.workload and b.definition_group = ${group}`;

/** The board rows that `derivedFrom` yields, for boards of one metric and of any metric. Does not set which rows are best. */
export const freshRows: SQL = rowsOn((...of) => sql`join boards b on ${isBoardOf(...of)}`);

/** The same for a few points: looks up each board by its index. */
export const freshRowsOfFew: SQL = rowsOn(
  (...of) => sql`cross join lateral (select b.id from boards b where ${isBoardOf(...of)} offset 0) b`,
);

/** The columns of `board_figures`. */
export const boundFigureColumns: SQL = columnList([
  ...['point_id', 'status', 'variant', 'board_id', 'system_id', 'model', 'gpu', 'trust', 'unnamed'],
  ...boundMetrics,
]);

/** The rows of `board_figures` that `derivedFrom` yields. */
export const boundFigures: SQL = sql`
  select c.point_id, c.status, c.variant, b.id, c.system_id, c.model, c.gpu, c.trust, c.unnamed,
    ${columnList(boundMetrics, (quoted) => `c.${quoted}`)}
  from claims c
  join boards b on b.metric = '' and b.kind = c.kind and b.workload = c.workload and b.definition_group = ''`;

/** The prefix of facts in `board_totals` whose rows are sums over all kinds, workloads, trusts and shapes. */
export const sumPrefix = 'sum_';

/** The sums by status and fact, and by status and workload, of rows with the columns of `board_totals`. */
export const sumsOf = (totals: string): SQL =>
  sql.raw(`
  select '' as kind, '' as workload, '${sumPrefix}' || coalesce(nullif(fact, ''), 'workload') as fact,
    case fact when '' then workload else name end as name, status, '' as trust, 0::smallint as unnamed, 0 as shape_id,
    sum(points)::int as points
  from ${totals} where fact <> '' or workload <> '' group by 3, 4, 5 having sum(points) <> 0`);

/** Keys of the boards that the rows need. */
export const newBoards: SQL = sql`
  select distinct f.kind, f.workload, f.metric, f.definition_group from figures f where f.is_walked
  union select h.kind, h.workload, '', '' from shapes h`;

/** (n - 1) (sd / mean)^2 of a row `r`. */
export const squaresOf: SQL = sql`round(((r.n - 1) * (r.sd / r.worth) ^ 2)::numeric, 24)`;

/** Whether a row counts towards the scatter of its tool. `r` is a row of a board `b`. */
export const scatters: SQL = sql`(r.status = 'accepted' and r.n >= 2 and r.sd is not null and b.metric <> ''
  and abs(r.worth) > 0 and cardinality(r.tools) = 1)`;
