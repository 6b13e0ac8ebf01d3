import type { Bound, Filters, Match } from '@inferboard/core/filters/filters';
import type { Metric } from '@inferboard/core/metrics/index';
import { type SQL, sql } from 'drizzle-orm';
import { usdPerGpuHour } from './gpu-price.ts';
import { qualityCondition } from './quality-condition.ts';

// Aliases used by every ranked or listed read: s systems, sc scenarios, p points, and `t`, the table with the metrics
// (results or point_statistics), which has point_id and status.

function list(values: readonly (string | number)[]): SQL {
  return sql`(${sql.join(
    values.map((value) => sql`${value}`),
    sql`, `,
  )})`;
}

function anyMatch(matches: Match[], columns: { id: string; family?: string; key: string }): SQL {
  const column = (name: string) => sql`s.${sql.identifier(name)}`;
  const one = (match: Match): SQL => {
    if (match.by === 'name') return sql`${column(columns.key)} = ${match.key}`;
    if (match.by === 'family') return columns.family ? sql`${column(columns.family)} = ${match.family}` : sql`false`;
    if (match.recipe === undefined) return sql`${column(columns.id)} = ${match.id}`;
    const recipe = sql`array(select jsonb_array_elements_text(${JSON.stringify(match.recipe)}::jsonb))`;
    return sql`(${column(columns.id)} = ${match.id} and s.quantization_recipe @> ${recipe} and s.quantization_recipe <@ ${recipe})`;
  };
  return sql`(${sql.join(matches.map(one), sql` or `)})`;
}

/** Conditions on what was measured and how it was asked. */
export function pointConditions(filters: Filters): SQL[] {
  const conditions: SQL[] = [];
  if (filters.model) {
    conditions.push(anyMatch(filters.model, { id: 'model_id', family: 'model_family', key: 'model_key' }));
  }
  if (filters.modelFamily) conditions.push(sql`s.model_family in ${list(filters.modelFamily)}`);
  if (filters.quantization) {
    conditions.push(anyMatch(filters.quantization, { id: 'quantization_id', key: 'quantization_key' }));
  }
  if (filters.gpu) conditions.push(anyMatch(filters.gpu, { id: 'gpu_id', family: 'gpu_family', key: 'gpu_key' }));
  for (const bound of filters.quality ?? []) conditions.push(qualityCondition(bound));
  if (filters.prices) conditions.push(sql`${usdPerGpuHour(filters.prices)} is not null`);
  if (filters.gpuCount) conditions.push(sql`s.gpu_count in ${list(filters.gpuCount)}`);
  if (filters.gpuPowerLimitW) conditions.push(sql`s.gpu_power_limit_w in ${list(filters.gpuPowerLimitW)}`);
  if (filters.engine) conditions.push(anyMatch(filters.engine, { id: 'engine_id', key: 'engine_key' }));
  if (filters.engineVersion) conditions.push(sql`s.engine_version in ${list(filters.engineVersion)}`);
  if (filters.system) conditions.push(sql`s.id in ${list(filters.system)}`);
  if (filters.workload)
    conditions.push(sql`(sc.name in ${list(filters.workload)} or p.workload in ${list(filters.workload)})`);
  if (filters.regime) conditions.push(sql`p.regime in ${list(filters.regime)}`);
  if (filters.loadMode) conditions.push(sql`p.load_mode in ${list(filters.loadMode)}`);
  if (filters.loadLevel) conditions.push(sql`p.load_level in ${list(filters.loadLevel)}`);
  if (filters.minLoadLevel !== undefined) conditions.push(sql`p.load_level >= ${filters.minLoadLevel}`);
  if (filters.maxLoadLevel !== undefined) conditions.push(sql`p.load_level <= ${filters.maxLoadLevel}`);
  return conditions;
}

/** An account by its id, or by its name in whatever case: names are unique so. */
export function accountCondition(accounts: readonly string[]): SQL {
  const names = sql.join(
    accounts.map((account) => sql`lower(${account}::text)`),
    sql`, `,
  );
  return sql`(a.id in ${list(accounts)} or lower(a.name) in (${names}))`;
}

/** Conditions on single results: who sent them, with what, when. `r` results, `sub` submissions, `a` accounts. */
export function resultConditions(filters: Filters): SQL[] {
  const conditions: SQL[] = [];
  if (filters.account) conditions.push(accountCondition(filters.account));
  if (filters.tool) conditions.push(sql`r.tool in ${list(filters.tool)}`);
  if (filters.since) conditions.push(sql`sub.created_at >= ${filters.since}::timestamptz`);
  if (filters.until) conditions.push(sql`sub.created_at < ${filters.until}::timestamptz`);
  return conditions;
}

/** True for a result `r` of the claim whose statistics are the row `t`. */
export const ofClaim = sql`(r.point_id = t.point_id and r.account_id = t.account_id and r.status = t.status
  and r.own_trust = t.own_trust and r.copy_of is null)`;

/**
 * A claim passes if one of its results does; where a metric is ranked, one of those behind the
 * row's value of it.
 */
export function someResult(filters: Filters, ranked?: Metric): SQL[] {
  const conditions = resultConditions(filters);
  if (conditions.length === 0) return [];
  if (ranked) conditions.push(behindRow(ranked));
  return [
    sql`exists (
      select 1 from results r
      join submissions sub on sub.id = r.submission_id
      join accounts a on a.id = sub.account_id
      where ${ofClaim} and ${and(conditions)})`,
  ];
}

/** True for a result `r` whose value of a metric is in the statistics of the row `t` of its claim. */
export function behindRow({ name, family }: Metric): SQL {
  const definition = (table: SQL) => sql`${table}.definitions ->> ${family.base}::text`;
  return sql`(${definition(sql`r`)} is not distinct from ${definition(sql`t`)}
    and (r.${sql.identifier(name)} is not null or t.${sql.identifier(name)} is null))`;
}

export function boundConditions(bounds: readonly Bound[]): SQL[] {
  return bounds.map(({ metric, side, value }) => {
    const column = sql`t.${sql.identifier(metric)}`;
    return side === 'min' ? sql`${column} >= ${value}` : sql`${column} <= ${value}`;
  });
}

export function trustCondition(filters: Filters): SQL {
  return filters.trust ? sql`t.trust in ${list(filters.trust)}` : sql`true`;
}

/** Which standings take part. */
export function statusCondition(filters: Filters): SQL {
  // As a text of its own it is what the index `results_accepted` says, in plans that serve any values too.
  if (filters.include.length === 0) return sql`t.status = 'accepted'`;
  return sql`t.status in ${list(['accepted', ...filters.include])}`;
}

export function and(conditions: readonly SQL[]): SQL {
  return conditions.length === 0 ? sql`true` : sql.join([...conditions], sql` and `);
}
