import type { Filters } from '@inferboard/core/filters/filters';
import type { Metric } from '@inferboard/core/metrics/index';
import { type Axis, paretoFrontier } from '@inferboard/core/series/pareto';
import { listPlacedPoints, listPointFacts, type PlacedPoint } from '@inferboard/db/queries/pareto-list';
import type { Deps } from '../deps.ts';
import { viewLoad, viewScenario, viewSystem } from '../views.ts';

/** Points answered at most beside those on the frontier. */
const othersMax = 1000;

type Side = 'x_definition' | 'y_definition';

/** The preferred group of formulas that any point has: values of the others are not comparable with it. */
function chooseGroup({ family }: Metric, points: readonly PlacedPoint[], side: Side): string | null {
  const present = new Set(points.map((point) => point[side]));
  return family.definitions.find(({ id }) => present.has(id))?.group ?? null;
}

const isOfGroup = ({ family }: Metric, id: string | null, group: string | null) =>
  group === null || family.definitions.some((definition) => definition.id === id && definition.group === group);

/** Each point once, by the formula preferred of those that are compared. */
function once(points: readonly PlacedPoint[]): PlacedPoint[] {
  const first = new Map<string, PlacedPoint>();
  for (const point of points) {
    const key = `${point.point_id} ${point.status}`;
    if (!first.has(key)) first.set(key, point);
  }
  return [...first.values()];
}

const axisOf = (metric: Metric, of: (point: PlacedPoint) => number): Axis<PlacedPoint> => ({
  of,
  better: metric.family.direction === 'lower' ? 'lower' : 'higher',
});

/**
 * Points by two figures, with those that no other beats on both. Values made by formulas that cannot be compared are left
 * out and counted; the frontier comes whole, of the others the best by `y` as many as a chart can show.
 */
export async function findFrontier(deps: Deps, question: { x: Metric; y: Metric; filters: Filters }) {
  const { x, y } = question;
  const { db } = deps.database;
  const { points: all, isCut } = await listPlacedPoints(db, question);
  const [xGroup, yGroup] = [chooseGroup(x, all, 'x_definition'), chooseGroup(y, all, 'y_definition')];
  const compared = all.filter(
    (point) => isOfGroup(x, point.x_definition, xGroup) && isOfGroup(y, point.y_definition, yGroup),
  );
  const points = once(compared);
  const yAxis = axisOf(y, (point) => point.y);
  const frontier = new Set(paretoFrontier(points, [axisOf(x, (point) => point.x), yAxis]));
  const turned = yAxis.better === 'higher' ? -1 : 1;
  const others = points.filter((point) => !frontier.has(point)).sort((a, b) => turned * (a.y - b.y));
  const shown = [...frontier, ...others.slice(0, othersMax)].sort(
    (a, b) => a.x - b.x || a.y - b.y || a.point_id - b.point_id,
  );
  const facts = await listPointFacts(
    db,
    shown.map(({ point_id }) => point_id),
  );
  const side = (metric: Metric, group: string | null) => ({
    metric: metric.name,
    unit: metric.family.unit,
    better: metric.family.direction === 'lower' ? ('lower' as const) : ('higher' as const),
    definition: group,
  });
  return {
    x: side(x, xGroup),
    y: side(y, yGroup),
    data: shown.flatMap((point) => {
      const known = facts.get(point.point_id);
      if (known === undefined) return [];
      const system = viewSystem(known.system, deps.publicUrl);
      return [
        {
          on_frontier: frontier.has(point),
          x: point.x,
          y: point.y,
          system,
          scenario: viewScenario(known.scenario),
          load: viewLoad(known.load),
          links: { system: system.links.self, page: system.links.page },
        },
      ];
    }),
    excluded: {
      other_definition: once(all).length - points.length,
      beyond_limit: Math.max(0, others.length - othersMax),
    },
    truncated: isCut,
  };
}
