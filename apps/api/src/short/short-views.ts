import { type MetricName, metrics as registry } from '@inferboard/core/metrics/index';
import type { ShortLeaderboardRow } from '@inferboard/db/boards/lists/leaderboard-entries';
import type { MatrixCell } from '@inferboard/db/boards/lists/matrix-list';
import type { PlacedPoint } from '@inferboard/db/boards/lists/pareto-list';
import type {
  LoadColumns,
  NamedSystemRow,
  ResultRow,
  ScenarioRow,
  StoredStatistics,
} from '@inferboard/db/boards/lists/row-types';
import { headlineMetrics } from '../submissions/submission-views.ts';
import { instant, statisticsOf, viewMetrics, viewStatistics, viewWorkload } from '../views.ts';

// The short public forms of lists: 50 rows take at most 40 kB. Each is a subset of the full form in `views.ts`.

/** Number of alternatives in a short board: those with the most systems. */
const othersMax = 5;

/** A board's choice with its first alternatives. */
export const shortChoice = <T extends { others: readonly unknown[] } | null>(choice: T): T =>
  choice && { ...choice, others: choice.others.slice(0, othersMax) };

/** The names of a system, including its power limit if it was set. */
export function shortSystem(row: NamedSystemRow) {
  return {
    id: row.id,
    model: { id: row.model_id, name: row.model_name },
    quantization: { id: row.quantization_id, name: row.quantization_name },
    gpu: { id: row.gpu_id, name: row.gpu_name },
    gpu_count: row.gpu_count,
    ...(row.gpu_power_limit_w !== null && { gpu_power_limit_w: row.gpu_power_limit_w }),
    engine: { id: row.engine_id, name: row.engine_name, version: row.engine_version },
  };
}

export const shortScenario = ({ name: id }: Pick<ScenarioRow, 'name'>) => ({ id });

export const shortLoad = (row: Pick<LoadColumns, 'load_mode' | 'load_level'>) => ({
  mode: row.load_mode,
  level: row.load_level,
});

const shortLinks = (system: Pick<NamedSystemRow, 'id'>, base: string) => ({ page: `${base}/systems/${system.id}` });

const baseOf = new Map<string, string>(registry.map(({ name, family }) => [name, family.base]));

/** The measured ones of some metrics, with their formulas. */
function shortMetrics(
  row: Parameters<typeof viewMetrics>[0] & { definitions: Record<string, string> },
  shown: readonly MetricName[],
) {
  const { metrics, derived } = viewMetrics(row, shown);
  const there = (values: Record<string, number | null>) =>
    Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
  const [kept, keptDerived] = [there(metrics), there(derived)];
  const names = new Set(Object.keys({ ...kept, ...keptDerived }).flatMap((name) => [name, baseOf.get(name) ?? name]));
  const definitions = Object.fromEntries(Object.entries(row.definitions).filter(([name]) => names.has(name)));
  return { metrics: kept, derived: keptDerived, definitions };
}

/** The metrics of an entry, without the ranked one, which is its value. */
function otherMetrics(
  row: Parameters<typeof shortMetrics>[0],
  [ranked, ...others]: readonly [MetricName, ...MetricName[]],
) {
  const { metrics, derived, definitions } = shortMetrics(row, [ranked, ...others]);
  const isOther = ([name]: [string, unknown]) => name !== ranked;
  const left = Object.fromEntries(Object.entries(derived).filter(isOther));
  return {
    metrics: Object.fromEntries(Object.entries(metrics).filter(isOther)),
    ...(Object.keys(left).length > 0 && { derived: left }),
    ...(Object.keys(definitions).length > 0 && { definitions }),
  };
}

/** Omits the status of results that count on boards. */
const shortStatus = <S extends string>(status: S) => (status === 'accepted' ? {} : { status });

/** @param isValue whether the mean equals the value of the entry, so that it is omitted */
function shortStatistics(statistics: StoredStatistics, isValue: boolean) {
  const { n, mean, sd, ci95, outliers } = viewStatistics(statistics);
  return { n, ...(!isValue && { mean }), sd, ci95, ...(outliers.length > 0 && { outliers }) };
}

/**
 * @param shown the metrics that the request names, the ranked one first
 * @param isOfCost whether the entry's value is replaced by a cost computed from the ranked metric
 */
export function shortEntry(
  { point, scenario, system, ...row }: ShortLeaderboardRow,
  shown: readonly [MetricName, ...MetricName[]],
  base: string,
  isOfCost = false,
) {
  return {
    rank: row.rank,
    rank_spread: row.spread && ([row.spread.first, row.spread.last] as [number, number]),
    ...(row.spread?.isAtLeast && { high_at_least: true }),
    ...(row.place.isDisputed && { disputed: true }),
    value: row.value,
    statistics: shortStatistics(statisticsOf(point, shown[0]), !isOfCost),
    system: shortSystem(system),
    ...shortStatus(point.status),
    scenario: shortScenario(scenario),
    load: shortLoad(point),
    ...otherMetrics(point, shown),
    trust: point.trust,
    findings: point.findings,
    links: shortLinks(system, base),
  };
}

export function shortCell({ value, n, ci95, system, scenario, load, trust, findings }: MatrixCell, base: string) {
  return {
    value,
    statistics: { n, ci95 },
    system: shortSystem(system),
    scenario: shortScenario(scenario),
    workload: { id: viewWorkload(load, scenario).id },
    load: shortLoad(load),
    trust,
    findings,
    links: shortLinks(system, base),
  };
}

export function shortPoint({ isOnFrontier, x, y, system, scenario, load }: PlacedPoint, base: string) {
  return {
    on_frontier: isOnFrontier,
    x,
    y,
    system: shortSystem(system),
    scenario: shortScenario(scenario),
    load: shortLoad(load),
    links: shortLinks(system, base),
  };
}

/** @param bounded metrics that the request names; they are shown with the headline metrics */
export function shortResult(row: ResultRow, bounded: readonly MetricName[]) {
  return {
    id: row.id as string | null,
    kind: row.kind,
    ...shortStatus(row.status),
    system: shortSystem(row.system),
    scenario: shortScenario(row.scenario),
    load: shortLoad(row),
    ...(row.repetition !== null && { repetition: row.repetition }),
    ...shortMetrics(row, [...headlineMetrics, ...bounded]),
    findings: row.findings.map(({ code, severity }) => ({ code, severity })),
    trust: row.trust,
    origin: row.origin,
    submission_id: row.submission_id as string | null,
    ...(row.measured_at !== null && { measured_at: instant(row.measured_at) }),
  };
}
