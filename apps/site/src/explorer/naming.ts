import { comparedNames } from '../features/compare/data/compare-names.ts';
import { comparedMax, comparedMin } from '../features/compare/data/compare-query.ts';
import type { Api, Comparison } from '../lib/api.ts';
import type { AxisChoice } from './axes.ts';
import { keyOf, type Naming } from './groups.ts';

/** The confidence intervals of a metric by system and load. */
function intervalsBy({ points, systems }: Comparison, metric: string) {
  return new Map<string, readonly [number, number]>(
    points.flatMap(({ load, workload, metrics }) =>
      (metrics.find((each) => each.metric === metric)?.figures ?? []).flatMap((figure, at) =>
        figure?.ci95 == null ? [] : [[`${workload.id} ${keyOf(systems[at]?.id ?? '', load)}`, figure.ci95] as const],
      ),
    ),
  );
}

/** Distinct names of the systems of a comparison, and the intervals of their points in a workload. */
export function namingOf(
  comparison: Comparison,
  [x, y]: readonly [AxisChoice, AxisChoice],
  workload: string | null,
): Naming {
  const names = comparedNames(comparison);
  const [across, up] = [intervalsBy(comparison, x.name), intervalsBy(comparison, y.name)];
  return {
    names: new Map(comparison.systems.map(({ id }, at) => [id, names[at] ?? id])),
    intervalsOf: ({ system, load }) => {
      const key = `${workload} ${keyOf(system.id, load)}`;
      return { x: across.get(key) ?? null, y: up.get(key) ?? null };
    },
  };
}

/** The comparison of the selected systems; null if they are too few or too many to compare. */
export async function readComparison(api: Api, system: readonly string[]): Promise<Comparison | null> {
  if (system.length < comparedMin || system.length > comparedMax) return null;
  return (await api.compareSystems({ system: [...system] })).data;
}
