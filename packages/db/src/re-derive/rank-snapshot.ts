import type { Metric } from '@inferboard/core/metrics/index';
import { rankableMetrics } from '@inferboard/core/ranking/default-rank';
import { studentT } from '@inferboard/core/statistics/intervals/student-t';
import { assumedFactors, mergePooledCv } from '@inferboard/core/statistics/pooled-cv';
import { unspecified } from '@inferboard/core/subjects/system';
import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../connection/transaction.ts';

// Computes the ranks of every board in SQL, because systems times metrics exceed the memory. The rules equal those of
// `rankBoard` in core; `tests/oracle/rank-snapshot.test.ts` compares the results.

/** A temporary table with the ranks at one time. */
export type RankTable = 'ranks_before' | 'ranks_after';

/** A metric as the statement needs it: name, value, base, kind, 1 if higher is better, else -1, and formula group. */
function metricRow({ name, family }: Metric): SQL {
  const groups = JSON.stringify(Object.fromEntries(family.definitions.map(({ id, group }) => [id, group])));
  return sql`(${name}::text, t.${sql.identifier(name)}::float8, ${family.base}::text, ${family.kind}::text,
    ${family.direction === 'higher' ? 1 : -1}::int, ${groups}::jsonb)`;
}

/** Every rankable value with its basis; `definition` is its formula group, or empty. */
const values = sql`
  select m.metric, m.value, m.sign, coalesce(m.groups ->> (t.definitions ->> m.base), '') as definition,
    case when f.spread is null then 1 else (f.spread ->> 0)::float8 end as n, (f.spread ->> 1)::float8 as sd,
    coalesce((select array_agg(tool) from jsonb_array_elements_text(f.spread -> 2) tool), t.tools) as tools,
    p.workload, p.system_id, t.point_id, t.account_id, t.own_trust, t.variant, t.disputed
  from point_statistics t
  join points p on p.id = t.point_id
  cross join lateral (values ${sql.join(rankableMetrics.map(metricRow), sql`, `)})
    as m(metric, value, base, kind, sign, groups)
  cross join lateral (select t.spreads -> m.metric as spread) f
  where t.stands and t.status = 'accepted' and m.value is not null and m.kind = p.kind`;

/** True for systems `s` that boards of systems exclude. */
const isUnspecified = sql`(
  (s.model_id is null and s.model_family is null and s.model_key = ${unspecified})
  or (s.gpu_id is null and s.gpu_family is null and s.gpu_key = ${unspecified})
  or (s.quantization_id is null and s.quantization_key = ${unspecified}))`;

interface ScatterRow {
  metric: string;
  definition: string;
  /** Null if several tools measured the values. */
  tool: string | null;
  n: number;
  squares: number | null;
  groups: number;
}

/** Key of `Assumed.factors`. */
const factorKey = (metric: string, definition: string, tool: string) => [metric, definition, tool].join(' ');

/** Parameters of the intervals. */
interface Assumed {
  /** Bounds of the assumed interval of a single run, as multiples of its value, by metric, formulas and tool. */
  factors: Record<string, [low: number, high: number]>;
  /** Quantiles of Student's t by number of values. */
  quantiles: Record<string, number>;
}

/** The scatter of repeated points by tool: a few rows per metric. */
async function readAssumed(tx: Transaction): Promise<Assumed> {
  const rows = (await tx.execute(sql`
    select metric, definition, case when cardinality(tools) = 1 then tools[1] end as tool, n,
      sum((sd / nullif(value, 0)) ^ 2) filter (where value > 0) as squares,
      (count(*) filter (where value > 0))::int as groups
    from (${values}) v where n >= 2 and sd is not null
    group by 1, 2, 3, 4`)) as unknown as ScatterRow[];
  const quantiles = Object.fromEntries(rows.map(({ n }) => [n, studentT(0.95, n - 1)]));
  const factors: Assumed['factors'] = {};
  const collect = (of: readonly ScatterRow[], definition: string) => {
    const byTool = Map.groupBy(of, ({ metric, tool }) => JSON.stringify([metric, tool]));
    for (const rows of byTool.values()) {
      const [{ metric, tool } = { metric: '', tool: null }] = rows;
      const parts = rows.flatMap(({ n, squares, groups }) => {
        const df = groups * (n - 1);
        return squares === null || groups === 0 ? [] : [{ cv: Math.sqrt((squares * (n - 1)) / df), df, groups }];
      });
      const pooled = mergePooledCv(parts);
      if (tool === null || pooled === null) continue;
      // PostgreSQL sums in any order, so rounding keeps the last digits from changing a rank.
      const [low, high] = assumedFactors(pooled).map((factor) => Number(factor.toPrecision(12)));
      if (low !== undefined && high !== undefined) factors[factorKey(metric, definition, tool)] = [low, high];
    }
  };
  for (const [definition, of] of Map.groupBy(rows, (row) => row.definition)) collect(of, definition);
  // If no formula is recorded, values of all formulas are compared.
  collect(rows, '');
  return { factors, quantiles };
}

/** Stores the rank of every system, for every workload, metric and formula group, in a temporary table. */
export async function snapshotRanks(tx: Transaction, into: RankTable): Promise<void> {
  await tx.execute(sql`set local statement_timeout = 0`);
  const table = sql.identifier(into);
  await tx.execute(sql`
    create temporary table ${table} (metric text, workload text, definition text, system_id text, rank bigint,
      value float8, point_id bigint, account_id text, own_trust text, disputed boolean)`);
  const { factors, quantiles } = await readAssumed(tx);
  const half = sql`(${JSON.stringify(quantiles)}::jsonb ->> b.n::text)::float8 * b.sd / sqrt(b.n)`;
  await tx.execute(sql`
    with named as (
      select v.*, bool_or(definition <> '') over (partition by metric, v.workload) as is_recorded
      from (${values}) v join systems s on s.id = v.system_id where not ${isUnspecified}),
    of_points as (
      select distinct on (metric, definition, point_id) * from named where definition <> '' or not is_recorded
      order by metric, definition, point_id, variant),
    best as (
      select distinct on (metric, workload, definition, system_id) * from of_points
      order by metric, workload, definition, system_id, sign * value desc, disputed, point_id),
    intervals as (
      select b.*, h.low, h.high from best b
      left join lateral (
        select (f.factor ->> 0)::float8 as low, (f.factor ->> 1)::float8 as high
        from unnest(b.tools) tool
        cross join lateral (
          select ${JSON.stringify(factors)}::jsonb -> concat_ws(' ', b.metric, b.definition, tool) as factor) f
        where f.factor is not null order by 2 desc limit 1) assumed on b.n = 1 and b.sd is null
      cross join lateral (select case when b.n >= 2 then ${half} end as half) w
      cross join lateral (select
        coalesce(b.value - w.half, b.value * assumed.low, b.value) as low,
        coalesce(b.value + w.half, b.value * assumed.high, b.value) as high) h),
    ends as (
      select i.*, e.is_low, case when e.is_low = (sign = 1) then sign * low else sign * high end as at
      from intervals i cross join (values (true), (false)) e(is_low)),
    counted as (
      select *, count(*) filter (where is_low) over board as lows, count(*) filter (where not is_low) over board as highs
      from ends
      window board as (partition by metric, workload, definition order by at desc, is_low rows unbounded preceding))
    insert into ${table}
    select metric, workload, definition, system_id, case when disputed then highs else lows + 1 end,
      value, point_id, account_id, own_trust, disputed
    from counted where is_low = disputed`);
  await tx.execute(sql`analyze ${table}`);
}
