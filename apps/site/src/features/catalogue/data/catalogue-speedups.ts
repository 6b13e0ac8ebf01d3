import { findModel } from '@inferboard/core/catalogue/index';
import { isUnquantized } from '@inferboard/core/catalogue/quantizations';
import type { Api, Comparison, System } from '../../../lib/api.ts';
import { toQuery } from '../../../lib/parameters.ts';
import type { Parameter } from '../../board/data/board-query.ts';
import { comparedMax } from '../../compare/data/compare-query.ts';

type Figure = NonNullable<Comparison['points'][number]['metrics'][number]['figures'][number]>;

/** A system's value at one point next to the baseline's. */
export interface Speedup {
  system: System;
  point: Comparison['points'][number];
  metric: string;
  better: 'lower' | 'higher' | 'neutral';
  figure: Figure;
}

/** Systems that differ only in their quantization, and in settings that one of them does not state. */
export interface QuantizationVariants {
  baseline: System;
  others: System[];
}

const variantsKey = ({ model, gpu, gpu_count, gpu_power_limit_w, engine, parallelism }: System) =>
  JSON.stringify([
    model.id ?? model.name,
    gpu.id ?? gpu.name,
    gpu_count,
    gpu_power_limit_w,
    engine.id ?? engine.name,
    engine.version,
    parallelism.tensor,
  ]);

export function isBaseline({ model, quantization }: System): boolean {
  return isUnquantized(quantization, model.id === null ? null : findModel(model.id));
}

const quantizationKey = ({ quantization: { id, name, recipe } }: System) =>
  JSON.stringify([id ?? name, recipe.toSorted()]);

/** The number of settings that only one of two systems states; null if they differ in a setting that both state. */
function unstatedSettings({ features: a }: System, { features: b }: System): number | null {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((name) => a[name] !== b[name]);
  return names.some((name) => a[name] != null && b[name] != null) ? null : names.length;
}

/** The baseline whose settings are closest to those of a system; undefined if all contradict them. */
function closestTo(system: System, baselines: readonly System[]): System | undefined {
  const found = baselines.flatMap((baseline) => {
    const unstated = unstatedSettings(system, baseline);
    return unstated === null ? [] : [{ baseline, unstated }];
  });
  return found.toSorted((a, b) => a.unstated - b.unstated)[0]?.baseline;
}

/**
 * The unquantized systems of each group, or the given system, as baselines, each with the systems in another quantization that have
 * its settings: with another backend, the ratio would not be that of the quantization.
 */
export function kinOf(systems: readonly System[], baselineId: string | null = null): QuantizationVariants[] {
  const groups = [...Map.groupBy(systems, variantsKey).values()];
  return groups.flatMap((group) => {
    const given = group.filter(({ id }) => id === baselineId);
    const baselines = given.length > 0 ? given : group.filter(isBaseline);
    const keys = new Set(baselines.map(quantizationKey));
    const others = group.filter((system) => !keys.has(quantizationKey(system)));
    const pairs = others.flatMap((system) => {
      const baseline = closestTo(system, baselines);
      return baseline === undefined ? [] : [{ baseline, system }];
    });
    return [...Map.groupBy(pairs, ({ baseline }) => baseline)].map(([baseline, list]) => ({
      ...{ baseline, others: list.map(({ system }) => system) },
    }));
  });
}

/** Ratios to the baseline of each group with their intervals, from the API's comparisons of a few systems each. */
export async function readSpeedups(
  api: Api,
  kin: readonly QuantizationVariants[],
  filters: readonly Parameter[],
): Promise<Speedup[]> {
  const asked = kin.flatMap(({ baseline, others }) => {
    const size = comparedMax - 1;
    const chunks = Array.from({ length: Math.ceil(others.length / size) }, (_, at) =>
      others.slice(at * size, (at + 1) * size),
    );
    return chunks.map((chunk) => [baseline, ...chunk]);
  });
  const answers = await Promise.all(
    asked.map((systems) => api.compareSystems({ ...toQuery(filters), system: systems.map(({ id }) => id) })),
  );
  return answers.flatMap(({ data }) =>
    (data?.points ?? []).flatMap((point) =>
      point.metrics.flatMap(({ metric, better, figures }) =>
        figures.flatMap((figure, at) => {
          const system = data?.systems[at];
          return at === 0 || figure?.compared == null || system === undefined
            ? []
            : [{ system, point, metric, better, figure }];
        }),
      ),
    ),
  );
}

/** Speedup over the baseline: above 1 is faster, also for latencies. Null if no ratio is known. */
export function speedupOf({ better, figure }: Speedup): { value: number; interval: [number, number] | null } | null {
  const { ratio, interval } = figure.compared ?? { ratio: null, interval: null };
  if (ratio === null) return null;
  if (better !== 'lower') return { value: ratio, interval };
  return { value: 1 / ratio, interval: interval === null ? null : [1 / interval[1], 1 / interval[0]] };
}
