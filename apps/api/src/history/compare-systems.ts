import { DomainError, type Fault } from '@inferboard/core/errors';
import type { Filters } from '@inferboard/core/filters/filters';
import { type Metric, metrics } from '@inferboard/core/metrics/index';
import { compareFigures, differencesOf, type Figure, type Ratio } from '@inferboard/core/series/comparison';
import type { SystemRow } from '@inferboard/db/boards/lists/row-types';
import { findSystems, type SystemPoint } from '@inferboard/db/catalogue/system-find';
import type { Deps } from '../deps.ts';
import { isId } from '../http/is-id.ts';
import { shortComparedPoint } from '../short/short-comparison.ts';
import { shortSystem } from '../short/short-views.ts';
import { viewLoad, viewScenario, viewSystem, viewWorkload } from '../views.ts';

/** The facts that identify a system, by filter name. */
function factsOf(row: SystemRow): Record<string, string | number | boolean | null> {
  const named = (of: 'model' | 'quantization' | 'gpu' | 'engine') => row[`${of}_id`] ?? row[`${of}_name`];
  return {
    model: named('model'),
    quantization: named('quantization'),
    // One format can be produced in several ways: w8a8 by GPTQ, or with smoothing first.
    quantization_recipe: row.quantization_recipe.join(', ') || null,
    gpu: named('gpu'),
    gpu_count: row.gpu_count,
    gpu_power_limit_w: row.gpu_power_limit_w,
    engine: named('engine'),
    engine_version: row.engine_version,
    ...Object.fromEntries(Object.entries(row.parallelism).map(([name, width]) => [`parallelism.${name}`, width])),
    ...Object.fromEntries(Object.entries(row.features).map(([name, value]) => [`features.${name}`, value])),
  };
}

const keyOf = ({ point, scenario }: SystemPoint) => {
  const { input_tokens, output_tokens, dataset, depth, kernel } = scenario;
  const { kind, load_mode, load_level, load_detail } = point;
  return JSON.stringify([
    scenario.name,
    [input_tokens, output_tokens, dataset, depth, kernel],
    [kind, load_mode, load_level, load_detail.burstiness ?? null, load_detail.maxConcurrency ?? null],
  ]);
};

/** The values of a metric at a point, one for each formula used there. */
function figuresOf(
  points: readonly SystemPoint[],
  { name, family }: Metric,
): (Figure & { stated: number | null; ci95: [number, number] | null })[] {
  return points.flatMap(({ point }) => {
    const statistics = point.statistics[name];
    if (statistics === undefined) return [];
    const { mean, sd, n, ci95 } = statistics;
    // A mean without a count is treated as one run, because its scatter is unknown.
    return [{ mean, sd, n: n ?? 1, stated: n, ci95, definition: point.definitions[family.base] ?? null }];
  });
}

interface Compared {
  value: number;
  n: number | null;
  sd: number | null;
  ci95: [number, number] | null;
  definition: string | null;
  compared: Ratio | null;
}

/** Each system's value of a metric at one point, with its ratio to the first system's; null if fewer than two have one. */
function compareMetric(metric: Metric, bySystem: readonly (readonly SystemPoint[])[]): (Compared | null)[] | null {
  const found = bySystem.map((points) => figuresOf(points, metric));
  if (found.filter((figures) => figures.length > 0).length < 2) return null;
  const [baseline] = found[0] ?? [];
  return found.map((figures, at) => {
    const ratios = figures.map((figure) => ({
      figure,
      compared: at === 0 || baseline === undefined ? null : compareFigures(metric, figure, baseline),
    }));
    // Prefer the baseline's formula if it is available.
    const chosen = ratios.find(({ compared }) => compared?.ratio != null) ?? ratios[0];
    if (chosen === undefined) return null;
    const { mean: value, stated: n, sd, ci95, definition } = chosen.figure;
    return { value, n, sd, ci95, definition, compared: chosen.compared };
  });
}

export type ComparedPoint = NonNullable<ReturnType<typeof comparePoint>>;

function comparePoint(bySystem: readonly (readonly SystemPoint[])[]) {
  const any = bySystem.flat()[0];
  if (any === undefined) return null;
  const compared = metrics.flatMap((metric) => {
    if (metric.family.kind !== any.point.kind || metric.statistic === 'sd') return [];
    const figures = compareMetric(metric, bySystem);
    if (figures === null) return [];
    const { unit, direction } = metric.family;
    return [{ metric: metric.name, unit, better: direction, figures }];
  });
  if (compared.length === 0) return null;
  const { point, scenario } = any;
  const place = { scenario: viewScenario(scenario), workload: viewWorkload(point, scenario), load: viewLoad(point) };
  return { kind: point.kind, ...place, metrics: compared };
}

/**
 * Compares systems: first their differing facts, then each value at points that two or more share, relative to the first system.
 *
 * @throws DomainError `not_found` naming every id that does not exist
 */
export async function compareSystems(
  deps: Deps,
  ids: readonly string[],
  { filters, isFull }: { filters: Filters; isFull: boolean },
) {
  const { db } = deps.database;
  const known = await findSystems(
    db,
    ids.filter((id) => isId('sys', id)),
    filters,
  );
  const faults = ids.flatMap((id): Fault[] =>
    known.has(id)
      ? []
      : [{ code: 'not_found', parameter: 'system', message: `There is no system ${id.slice(0, 100)}.` }],
  );
  if (faults.length > 0) throw new DomainError('not_found', 'Not all of these systems exist.', faults);
  const systems = ids.flatMap((id) => known.get(id) ?? []);
  const places = systems.map(({ points }) => Map.groupBy(points, keyOf));
  const keys = [...new Set(places.flatMap((place) => [...place.keys()]))];
  const compared = keys.map((key) => comparePoint(places.map((place) => place.get(key) ?? [])));
  const points = compared.flatMap((point) => point ?? []);
  return {
    systems: systems.map(({ system }) => (isFull ? viewSystem(system, deps.publicUrl) : shortSystem(system))),
    differences: differencesOf(systems.map(({ system }) => factsOf(system))),
    points: isFull ? points : points.map(shortComparedPoint),
    excluded: { measured_by_one: keys.length - points.length },
  };
}
