import { taskOfAxis } from '@inferboard/core/filters/quality';
import type { Frontier } from '../features/submission/data/full-responses.ts';
import type { Answer, Api } from '../lib/api.ts';
import type { ExplorerState } from './state.ts';

/** A model that has points under the filters. */
export interface ModelChoice {
  /** The value of the filter. */
  id: string;
  title: string;
  /** Number of its systems. */
  systems: number;
}

const ofModels: ReadonlySet<string> = new Set(['model', 'model_family', 'system']);

/** Whether the curves could mix models: they are of GPUs, quantizations or engines, and no filter selects a model. */
export const mixesModels = ({ by, x, y, filters }: ExplorerState): boolean =>
  by !== 'model' &&
  by !== 'system' &&
  // A model has only one score.
  taskOfAxis(x) === null &&
  taskOfAxis(y) === null &&
  !filters.some(([name]) => ofModels.has(name));

/** Whether the form offers a model: the curves could mix models, or exactly one is selected. */
export const offersModels = (state: ExplorerState): boolean => {
  const filters = state.filters.filter(([name]) => name !== 'model');
  return state.filters.length - filters.length < 2 && mixesModels({ ...state, filters });
};

/**
 * The models of a workload, the one with the most systems first, and the workload. The API returns the frontier and the
 * thousand best other points, which are counted.
 */
export async function readModels(
  api: Api,
  query: Record<string, string[]>,
): Promise<Answer<{ models: ModelChoice[]; workload: Frontier['workload'] }>> {
  const { data, problem } = await api.getParetoSystems(query);
  if (data === null) return { data, problem };
  const systems = new Map(data.data.map(({ system }) => [system.id, system]));
  const models = [...Map.groupBy(systems.values(), ({ model }) => model.id ?? model.name)].map(
    ([id, of]): ModelChoice => ({ id, title: of[0]?.model.title ?? id, systems: of.length }),
  );
  return {
    data: {
      models: models.toSorted((a, b) => b.systems - a.systems || (a.id < b.id ? -1 : 1)),
      workload: data.workload,
    },
    problem: null,
  };
}
