import type { Filters } from '@inferboard/core/filters/filters';
import type { Metric } from '@inferboard/core/metrics/index';
import { listFrontier } from '@inferboard/db/queries/pareto-list';
import type { Deps } from '../deps.ts';
import { viewLoad, viewScenario, viewSystem, viewWorkload } from '../views.ts';

/**
 * Points by two figures, with those that no other beats on both. Values made by formulas that cannot be compared are left
 * out and counted; the frontier comes whole, of the others the best by `y` as many as a chart can show.
 */
export async function findFrontier(deps: Deps, question: { x: Metric; y: Metric; filters: Filters }) {
  const { x, y } = question;
  const { points, xGroup, yGroup, excluded } = await listFrontier(deps.database.db, question);
  const side = (metric: Metric, group: string | null) => ({
    metric: metric.name,
    unit: metric.family.unit,
    better: metric.family.direction === 'lower' ? ('lower' as const) : ('higher' as const),
    definition: group,
  });
  // Many points are of one system.
  const ofPoints = new Set(points.map(({ system }) => system));
  const systems = new Map([...ofPoints].map((system) => [system, viewSystem(system, deps.publicUrl)]));
  return {
    x: side(x, xGroup),
    y: side(y, yGroup),
    data: points.map((point) => {
      const system = systems.get(point.system) ?? viewSystem(point.system, deps.publicUrl);
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
    }),
    excluded,
  };
}
