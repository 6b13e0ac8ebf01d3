import type { Metric } from '@inferboard/core/metrics/index';
import type { Prices } from '@inferboard/core/prices/price-list';
import type { Choice } from '@inferboard/core/ranking/choice';
import { listFrontier, type PlacedPoint } from '@inferboard/db/queries/pareto-list';
import type { SystemRow } from '@inferboard/db/queries/row-types';
import { costName, costUnit, viewPrices } from '../asked-prices.ts';
import { otherwise, viewDefinitionChoice, viewWorkloadChoice, workloadNames } from '../choice-views.ts';
import type { Deps } from '../deps.ts';
import { shortPoint } from '../short/short-views.ts';
import { viewLoad, viewScenario, viewSystem, viewWorkload } from '../views.ts';

/** `isFull`: whether the points are answered in full; `prices`: where an axis is cost. */
type Question = Parameters<typeof listFrontier>[1] & { isFull: boolean; prices: Prices | null };

/** Views whole points. Many are of one system, which is viewed once. */
function createViewer(base: string) {
  const systems = new Map<SystemRow, ReturnType<typeof viewSystem>>();
  return (point: PlacedPoint) => {
    const system = systems.get(point.system) ?? viewSystem(point.system, base);
    systems.set(point.system, system);
    return {
      on_frontier: point.isOnFrontier,
      x: point.x,
      y: point.y,
      system,
      scenario: viewScenario(point.scenario),
      workload: viewWorkload(point.load, point.scenario),
      load: viewLoad(point.load),
      links: { system: system.links.self, page: system.links.page },
    };
  };
}

/**
 * Points of one workload by two figures, with those that no other beats on both. Values made by formulas that cannot be compared are left
 * out and counted; the frontier comes whole, of the others the best by `y` as many as a chart can show.
 */
export async function findFrontier(deps: Deps, question: Question, asked: URLSearchParams) {
  const { x, y, costs = [], prices } = question;
  const found = await listFrontier(deps.database.reads.db, question);
  const { points, xDefinition, yDefinition, excluded, isExcludedAtLeast, workload } = found;
  const base = `${deps.publicUrl}/v1/pareto`;
  const side = (axis: 'x' | 'y', metric: Metric, definition: Choice | null) => ({
    ...(costs.includes(axis)
      ? { metric: costName as string, unit: costUnit, better: 'lower' as const }
      : {
          metric: metric.name as string,
          unit: metric.family.unit as string,
          better: metric.family.direction === 'lower' ? ('lower' as const) : ('higher' as const),
        }),
    definition: viewDefinitionChoice(definition, otherwise(base, asked, 'definition'), definition?.because === 'asked'),
  });
  const viewWhole = createViewer(deps.publicUrl);
  return {
    x: side('x', x, xDefinition),
    y: side('y', y, yDefinition),
    workload: viewWorkloadChoice(workload, otherwise(base, asked, 'workload', workloadNames), question.filters),
    ...viewPrices(
      prices && { byGpu: prices },
      points.map(({ system }) => system),
    ),
    data: points.map((point) => (question.isFull ? viewWhole(point) : shortPoint(point, deps.publicUrl))),
    excluded,
    excluded_at_least: isExcludedAtLeast,
  };
}
