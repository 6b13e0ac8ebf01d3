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

/** Systems that differ only in their quantization. */
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

/** Groups that have an unquantized system, or the given system, as their baseline, with the systems in another quantization. */
export function kinOf(systems: readonly System[], baselineId: string | null = null): QuantizationVariants[] {
  const groups = [...Map.groupBy(systems, variantsKey).values()];
  return groups.flatMap((group) => {
    const baseline = group.find(({ id }) => id === baselineId) ?? group.find(isBaseline);
    if (baseline === undefined) return [];
    const others = group.filter((system) => quantizationKey(system) !== quantizationKey(baseline));
    return others.length === 0 ? [] : [{ baseline, others }];
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
