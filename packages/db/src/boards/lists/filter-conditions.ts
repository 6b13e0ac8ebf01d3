import { metricsOfBound } from '@inferboard/core/filters/bounds';
import type { Bound, Filters, Match } from '@inferboard/core/filters/filters';
import type { Metric } from '@inferboard/core/metrics/index';
import { type SQL, sql } from 'drizzle-orm';
import { usdPerGpuHour } from '../../catalogue/gpu-price.ts';
import { qualityCondition } from '../../catalogue/quality-condition.ts';
import { datedText, textOf } from './measured-time.ts';

// Aliases in every ranked or listed read: s systems, sc scenarios, p points, and `t`, the table with the metrics (results or
// point_statistics), which has point_id and status.

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

/** Versions as stored; "0.10.x" matches every version that starts with 0.10. */
function anyVersion(versions: readonly string[]): SQL {
  const one = (version: string): SQL => {
    const begin = /^(\d+(?:\.\d+)*)\.x$/.exec(version)?.[1];
    return begin === undefined
      ? sql`s.engine_version = ${version}`
      : sql`(s.engine_version in (${version}, ${begin}) or starts_with(s.engine_version, ${`${begin}.`}))`;
  };
  return sql`(${sql.join(versions.map(one), sql` or `)})`;
}

/** Conditions on optional facts and on range bounds. */
function rangeConditions(filters: Filters): SQL[] {
  const none = (matches: Match[] | undefined, columns: Parameters<typeof anyMatch>[1]) =>
    matches === undefined ? [] : [sql`${anyMatch(matches, columns)} is not true`];
  const limit = (value: number | undefined, condition: (value: number) => SQL) =>
    value === undefined ? [] : [condition(value)];
  return [
    ...none(filters.notModel, { id: 'model_id', family: 'model_family', key: 'model_key' }),
    ...none(filters.notGpu, { id: 'gpu_id', family: 'gpu_family', key: 'gpu_key' }),
    ...none(filters.notQuantization, { id: 'quantization_id', key: 'quantization_key' }),
    ...none(filters.notEngine, { id: 'engine_id', key: 'engine_key' }),
    ...limit(filters.minGpuCount, (value) => sql`s.gpu_count >= ${value}`),
    ...limit(filters.maxGpuCount, (value) => sql`s.gpu_count <= ${value}`),
    ...limit(filters.minGpuPowerLimitW, (value) => sql`s.gpu_power_limit_w >= ${value}`),
    ...limit(filters.maxGpuPowerLimitW, (value) => sql`s.gpu_power_limit_w <= ${value}`),
    ...limit(
      filters.minContext,
      (value) => sql`p.scenario_id in (
        select id from scenarios where coalesce(input_tokens, 0) + coalesce(depth, 0) >= ${value})`,
    ),
  ];
}

/** Conditions on systems, scenarios and loads. */
export function pointConditions(filters: Filters): SQL[] {
  const conditions: SQL[] = rangeConditions(filters);
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
  if (filters.engineVersion) conditions.push(anyVersion(filters.engineVersion));
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

/** Matches an account by id, or by name without regard to case. Names are unique in this sense. */
export function accountCondition(accounts: readonly string[]): SQL {
  const names = sql.join(
    accounts.map((account) => sql`lower(${account}::text)`),
    sql`, `,
  );
  return sql`(a.id in ${list(accounts)} or lower(a.name) in (${names}))`;
}

/** When a result `r` of a submission `sub` was measured: its date, else the time of storage. */
const measuredText = sql`coalesce(${datedText(sql`r`)}, ${textOf(sql`sub.created_at`)})`;

/** Conditions on single results: account, tool and time. `r` results, `sub` submissions, `a` accounts. */
export function resultConditions(filters: Filters): SQL[] {
  const conditions: SQL[] = [];
  if (filters.account) conditions.push(accountCondition(filters.account));
  if (filters.tool) conditions.push(sql`r.tool in ${list(filters.tool)}`);
  if (filters.since) conditions.push(sql`${measuredText} >= ${textOf(sql`${filters.since}::timestamptz`)}`);
  if (filters.until) conditions.push(sql`${measuredText} < ${textOf(sql`${filters.until}::timestamptz`)}`);
  return conditions;
}

/** True for a result `r` of the claim with the statistics row `t`. */
export const ofClaim = sql`(r.point_id = t.point_id and r.account_id = t.account_id and r.status = t.status
  and r.own_trust = t.own_trust and r.copy_of is null)`;

/** A claim matches if one of its results does. If a metric is ranked, that result must contribute to the row's value of it. */
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

/** True for a result `r` whose value of a metric contributes to the statistics row `t` of its claim. */
export function behindRow({ name, family }: Metric): SQL {
  const definition = (table: SQL) => sql`${table}.definitions ->> ${family.base}::text`;
  return sql`(${definition(sql`r`)} is not distinct from ${definition(sql`t`)}
    and (r.${sql.identifier(name)} is not null or t.${sql.identifier(name)} is null))`;
}

export function boundConditions(bounds: readonly Bound[], row: SQL = sql`t`): SQL[] {
  return bounds.map(({ metric, side, value }) => {
    const [own, ...higher] = metricsOfBound({ metric, side }).map((name) => sql`${row}.${sql.identifier(name)}`);
    const column = higher.length === 0 ? own : sql`coalesce(${own}, ${sql.join(higher, sql`, `)})`;
    return side === 'min' ? sql`${column} >= ${value}` : sql`${column} <= ${value}`;
  });
}

export function trustCondition(filters: Filters): SQL {
  return filters.trust ? sql`t.trust in ${list(filters.trust)}` : sql`true`;
}

/** Filters rows by status. */
export function statusCondition(filters: Filters): SQL {
  // A literal matches the predicate of the index `results_accepted`, even in generic plans.
  if (filters.include.length === 0) return sql`t.status = 'accepted'`;
  return sql`t.status in ${list(['accepted', ...filters.include])}`;
}

export function and(conditions: readonly SQL[]): SQL {
  return conditions.length === 0 ? sql`true` : sql.join([...conditions], sql` and `);
}
