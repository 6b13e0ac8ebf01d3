import { taskOfAxis } from '@inferboard/core/filters/quality';
import { workloadNames } from '../features/board/data/board-choices.ts';
import type { Frontier } from '../features/submission/data/full-responses.ts';
import type { Answer, Api } from '../lib/api.ts';
import { factText } from './groups.ts';
import type { ColourFact, ExplorerState } from './state.ts';

/** A model that has points under the filters. */
export interface ModelChoice {
  /** The value of the filter. */
  id: string;
  title: string;
  /** Number of its systems, and of the groups that they form. */
  systems: number;
  groups: number;
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

type Query = Record<string, string[]>;
type Models = Answer<{ models: ModelChoice[]; workload: Frontier['workload'] }>;

async function readModelsOfOne(api: Api, query: Query, by: ColourFact): Promise<Models> {
  const { data, problem } = await api.getParetoSystems(query, by);
  if (data === null) return { data, problem };
  const systems = [...new Map(data.data.map((point) => [point.system.id, point])).values()];
  const models = [...Map.groupBy(systems, ({ system: { model } }) => model.id ?? model.name)].map(
    ([id, of]): ModelChoice => ({
      ...{ id, title: of[0]?.system.model.title ?? id, systems: of.length },
      groups: new Set(of.map(factText[by])).size,
    }),
  );
  return {
    data: {
      models: models.toSorted((a, b) => b.groups - a.groups || b.systems - a.systems || (a.id < b.id ? -1 : 1)),
      workload: data.workload,
    },
    problem: null,
  };
}

/** Maximum number of workloads whose models are compared if the query names none. */
const workloadsMax = 3;

/**
 * The models of a workload, the one with the most groups first, and the workload. If the query names no workload, it is the one
 * whose first model has the most groups, among those with the most systems. The API returns the frontier and the thousand best
 * other points, which are counted.
 *
 * @param by the fact that groups the points, such as the GPU
 */
export async function readModels(api: Api, query: Query, by: ColourFact): Promise<Models> {
  const first = await readModelsOfOne(api, query, by);
  if (first.data === null || workloadNames.some((name) => name in query)) return first;
  const others = (first.data.workload?.others ?? []).slice(0, workloadsMax - 1);
  const answers = await Promise.all(others.map(({ id }) => readModelsOfOne(api, { ...query, workload: [id] }, by)));
  const groupsOfFirst = ({ data }: Models) => data?.models[0]?.groups ?? 0;
  return [first, ...answers].toSorted((a, b) => groupsOfFirst(b) - groupsOfFirst(a))[0] ?? first;
}
