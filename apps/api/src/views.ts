import { type MetricName, metricNames, metrics as registry } from '@inferboard/core/metrics/index';
import type { MeasuredLengths, QualityTask } from '@inferboard/core/subjects/scenario';
import { engineTitle, gpuTitle, modelTitle, quantizationTitle } from '@inferboard/core/subjects/system-label';
import { workloadOf } from '@inferboard/core/workloads/workload';
import type { LeaderboardRow } from '@inferboard/db/boards/lists/leaderboard-entries';
import type {
  LoadColumns,
  PointStatisticsRow,
  ScenarioRow,
  StoredStatistics,
  SystemRow,
} from '@inferboard/db/boards/lists/row-types';
import type { SystemPoint } from '@inferboard/db/catalogue/system-find';
import type { ListedClaim } from '@inferboard/db/claims/claim-list';

// Converts rows to their public form. Only this file and `result-views.ts` determine which columns are public.

/** RFC 3339 UTC. */
export const instant = (text: string) => new Date(text).toISOString();

export function viewSystem(row: SystemRow, base: string) {
  const model = { id: row.model_id, name: row.model_name, family: row.model_family };
  const gpu = { id: row.gpu_id, name: row.gpu_name, family: row.gpu_family };
  const engine = { id: row.engine_id, name: row.engine_name, version: row.engine_version };
  const quantization = { id: row.quantization_id, name: row.quantization_name, recipe: row.quantization_recipe };
  return {
    id: row.id,
    label: row.label,
    model: { ...model, title: modelTitle(model) },
    quantization: { ...quantization, title: quantizationTitle(quantization) },
    gpu: { ...gpu, title: gpuTitle(gpu) },
    gpu_count: row.gpu_count,
    gpu_power_limit_w: row.gpu_power_limit_w,
    engine: { ...engine, title: engineTitle(engine) },
    parallelism: row.parallelism,
    features: row.features,
    links: { self: `${base}/v1/systems/${row.id}`, page: `${base}/systems/${row.id}` },
  };
}

/** The task of an evaluation; empty for other results. */
export function viewQualityTask(task: QualityTask | null) {
  if (task === null) return {};
  return {
    quality: {
      task: task.task,
      metric: task.metric,
      variant: task.variant,
      few_shot: task.fewShot,
      context: task.context,
    },
  };
}

export function viewScenario(row: ScenarioRow) {
  return {
    id: row.name,
    input_tokens: row.input_tokens,
    output_tokens: row.output_tokens,
    dataset: row.dataset,
    depth: row.depth,
    kernel: row.kernel,
    ...viewQualityTask(row.quality),
  };
}

type Loaded = Pick<LoadColumns, 'kind' | 'load_mode' | 'load_detail'>;

export function viewWorkload({ kind, load_mode: mode, load_detail }: Loaded, row: ScenarioRow) {
  const { name: id, input_tokens: inputTokens, output_tokens: outputTokens, dataset, depth } = row;
  const regime = load_detail.regime ?? null;
  return toWorkload({ kind, scenario: { id, inputTokens, outputTokens, dataset, depth }, load: { mode, regime } });
}

export function toWorkload(of: Parameters<typeof workloadOf>[0]) {
  const { id, regime, inputTokens, outputTokens, dataset, depth } = workloadOf(of);
  return { id, regime, input_tokens: inputTokens, output_tokens: outputTokens, dataset, depth };
}

export const viewLengths = (lengths: MeasuredLengths | null) =>
  lengths === null ? null : { input_tokens: lengths.inputTokens, output_tokens: lengths.outputTokens };

export function viewLoad(row: LoadColumns) {
  return {
    mode: row.load_mode,
    level: row.load_level,
    burstiness: row.load_detail.burstiness ?? null,
    max_concurrency: row.load_detail.maxConcurrency ?? null,
  };
}

const familyOf = new Map(registry.map(({ name, family }) => [name, family]));

/**
 * Metrics of the row's kind, missing ones as null. Values computed by the service are under `derived`. The one exception is
 * `itl_ms_mean`, whose definition states its source.
 *
 * @param shown which metrics; all by default
 */
export function viewMetrics(
  row: Partial<Record<MetricName, number | null>> & { kind: string; derived: readonly MetricName[] },
  shown: readonly MetricName[] = metricNames,
) {
  const metrics: Record<string, number | null> = {};
  const derived: Record<string, number | null> = {};
  for (const name of shown) {
    const family = familyOf.get(name);
    if (family?.kind !== row.kind) continue;
    const isOurs = family.derived || (row.derived.includes(name) && family.base !== 'itl_ms');
    (isOurs ? derived : metrics)[name] = row[name] ?? null;
  }
  return { metrics, derived };
}

export function viewStatistics(statistics: StoredStatistics) {
  const { n, mean, sd, median, ci95, cv, min, max, stability, basis, outliers } = statistics;
  return {
    n,
    mean,
    sd,
    median,
    ci95: ci95 === null ? null : ([ci95[0], ci95[1]] as [number, number]),
    cv,
    min,
    max,
    stability,
    basis,
    outliers: outliers.map(({ value, result_id, tests }) => ({
      value,
      result_id,
      tests: tests.map(({ test, statistic, critical }) => ({ test, statistic, critical })),
    })),
  };
}

function viewPointFields(point: PointStatisticsRow, scenario: ScenarioRow) {
  return {
    kind: point.kind,
    status: point.status,
    scenario: viewScenario(scenario),
    workload: viewWorkload(point, scenario),
    load: viewLoad(point),
    ...viewMetrics(point),
    definitions: point.definitions,
    trust: point.trust,
    findings: point.findings,
    warnings: point.warnings,
    replication: point.replication,
  };
}

function resultsLink(base: string, systemId: string, point: PointStatisticsRow, scenario: ScenarioRow): string {
  const query = new URLSearchParams({
    system: systemId,
    workload: viewWorkload(point, scenario).id,
    load_mode: point.load_mode,
    ...(point.load_level === null ? {} : { load_level: String(point.load_level) }),
  });
  return `${base}/v1/results?${query}`;
}

/** The claim of an account about a point. */
function viewClaim({ account, status, trust, stands, agreement, ratio, runs, results, figures }: ListedClaim) {
  const statistics = figures.map(({ metric, n, mean, ci95 }) => [metric, { n, mean, ci95 }] as const);
  return {
    ...{ account, status, trust, stands, agreement, ratio, runs, result_count: results },
    statistics: Object.fromEntries(statistics),
  };
}

export function viewPoint(
  { point, scenario }: SystemPoint,
  systemId: string,
  base: string,
  claims: readonly ListedClaim[] = [],
) {
  const entries = Object.entries(point.statistics).map(
    ([name, statistics]) => [name, viewStatistics(statistics)] as const,
  );
  return {
    ...viewPointFields(point, scenario),
    result_count: point.results,
    statistics: Object.fromEntries(entries),
    claims: claims.map(viewClaim),
    links: { results: resultsLink(base, systemId, point, scenario) },
  };
}

/** Statistics of the ranked metric. A ranked metric always has them, so a row without them is an internal error. */
export function statisticsOf(
  point: Pick<PointStatisticsRow, 'point_id' | 'statistics'>,
  rankBy: MetricName,
): StoredStatistics {
  const statistics = point.statistics[rankBy];
  if (statistics === undefined) throw new Error(`point ${point.point_id} ranks by ${rankBy} without statistics`);
  return statistics;
}

/** One entry of a board. */
export function viewEntry(row: LeaderboardRow, rankBy: MetricName, base: string) {
  const { point, scenario, system } = row;
  const statistics = statisticsOf(point, rankBy);
  const viewed = viewSystem(system, base);
  const runs = row.runs.map((run) => ({
    result_id: run.id,
    submission_id: run.submission_id,
    repetition: run.repetition,
    value: run.value,
  }));
  const assumed = row.assumed && { cv: row.assumed.cv, n_points: row.assumed.points, interval: row.assumed.interval };
  return {
    rank: row.rank,
    rank_spread: row.spread && ([row.spread.first, row.spread.last] as [number, number]),
    high_at_least: row.spread?.isAtLeast ?? false,
    disputed: row.place.isDisputed,
    value: row.value,
    statistics: { ...viewStatistics(statistics), assumed, runs },
    system: viewed,
    ...viewPointFields(point, scenario),
    source: row.source,
    links: {
      system: viewed.links.self,
      page: viewed.links.page,
      results: resultsLink(base, system.id, point, scenario),
    },
  };
}
