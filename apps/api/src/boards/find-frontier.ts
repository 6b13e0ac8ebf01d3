import { axisOfTask } from '@inferboard/core/filters/quality';
import type { Metric } from '@inferboard/core/metrics/index';
import type { Prices } from '@inferboard/core/prices/price-list';
import type { Choice } from '@inferboard/core/ranking/choice';
import { listFrontier, type PlacedPoint } from '@inferboard/db/boards/lists/pareto-list';
import type { SystemRow } from '@inferboard/db/boards/lists/row-types';
import type { Evaluation } from '@inferboard/db/boards/lists/score-axis';
import { poolFor } from '@inferboard/db/boards/pool';
import type { Deps } from '../deps.ts';
import { costName, costUnit, viewPrices } from '../prices/requested-prices.ts';
import { shortPoint } from '../short/short-views.ts';
import { viewLoad, viewQualityTask, viewScenario, viewSystem, viewWorkload } from '../views.ts';
import { otherwise, viewDefinitionChoice, viewWorkloadChoice, workloadNames } from './choice-views.ts';

/** `isFull`: whether points have all fields; `prices`: set if an axis is cost. */
type Question = Parameters<typeof listFrontier>[1] & { isFull: boolean; prices: Prices | null };

/** Builds full views of points. Many points share a system, whose view is built once. */
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
      sources: point.sources,
      links: { system: system.links.self, page: system.links.page },
    };
  };
}

/** The evaluation behind an axis of scores. */
function viewEvaluation({ name, quality }: Evaluation) {
  const { quality: task } = viewQualityTask(quality);
  return task === undefined ? {} : { evaluation: { ...task, workload: name } };
}

/**
 * Points of one workload by two metrics, and the Pareto frontier. Values of incompatible formulas are excluded and counted. The
 * frontier is complete; the other points are limited to the best by `y`, as many as a chart can show.
 */
export async function findFrontier(deps: Deps, question: Question, asked: URLSearchParams) {
  const { x, y, costs = [], prices, score } = question;
  const db = poolFor(deps.database, { metrics: [x, y], filters: question.filters });
  const found = await listFrontier(db, question);
  const { points, xDefinition, yDefinition, excluded, isExcludedAtLeast, workload, evaluation } = found;
  const base = `${deps.publicUrl}/v1/pareto`;
  const side = (axis: 'x' | 'y', metric: Metric, definition: Choice | null) => ({
    ...(costs.includes(axis)
      ? { metric: costName as string, unit: costUnit, better: 'lower' as const }
      : {
          metric: score?.axis === axis ? (asked.get(axis) ?? axisOfTask(score.task)) : (metric.name as string),
          unit: metric.family.unit as string,
          better: metric.family.direction === 'lower' ? ('lower' as const) : ('higher' as const),
        }),
    definition: viewDefinitionChoice(definition, otherwise(base, asked, 'definition'), definition?.because === 'asked'),
    ...(score?.axis === axis && evaluation !== null && viewEvaluation(evaluation)),
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
