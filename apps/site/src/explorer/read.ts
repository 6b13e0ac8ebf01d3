import { workloadTitle } from '@inferboard/core/workloads/workload-title';
import type { Parameter } from '../features/board/data/board-query.ts';
import type { Frontier } from '../features/submission/data/full-responses.ts';
import type { Api, Comparison, Problem } from '../lib/api.ts';
import { formatPlural } from '../lib/format.ts';
import { systemTitle } from '../lib/words.ts';
import { type AxisChoice, axisOf, readScoreAxes } from './axes.ts';
import { type Drawing, drawExplorer } from './drawing/drawing.ts';
import { groupWords, keyOf } from './groups.ts';
import { type ModelChoice, mixesModels, offersModels, readModels } from './models.ts';
import { namingOf, readComparison } from './naming.ts';
import { datesNote, differencesNote, leftOutNote, scoreNote } from './notes.ts';
import { type PinnedPoint, readPinned } from './pinned.ts';
import { type ColourFact, type ExplorerState, stateHref } from './state.ts';

export interface ExplorerView {
  state: ExplorerState;
  x: AxisChoice;
  y: AxisChoice;
  /** Id of the workload; null without points. */
  workload: string | null;
  /** The workload, and the others that have points under the filters. */
  workloads: { id: string; title: string }[];
  /** The models that the form offers; empty if it offers none. */
  models: ModelChoice[];
  /** The model of the curves, if the page chose it. */
  chosenModel: string | null;
  /** Axes of the scores that models under the filters have. */
  scoreAxes: AxisChoice[];
  title: string;
  /** Null if no point has both metrics. */
  drawing: Drawing | null;
  /** The open card. */
  pinned: PinnedPoint | null;
  notes: string[];
  /** URL of this state. */
  href: string;
  /** API URL of the same points. */
  apiPath: string;
}

/** Maximum number of workloads that the form offers. */
const workloadsMax = 40;

/** The workload and the others under the filters. */
const workloadsOf = (workload: Frontier['workload']) =>
  (workload === null ? [] : [workload.id, ...workload.others.map(({ id }) => id)])
    .slice(0, workloadsMax)
    .map((id) => ({ id, title: workloadTitle(id) }));

/** Maximum number of systems that are drawn over their loads; more curves are not readable. */
const systemsMax = 24;

/** "Per-user speed" becomes "per-user speed"; TTFT stays. */
const withinSentence = (title: string) =>
  /^[A-Z][a-z]/.test(title) ? title.charAt(0).toLowerCase() + title.slice(1) : title;

/** A date of the form as the API expects it: the start of the day in UTC. */
const withTime = ([name, value]: Parameter): Parameter =>
  (name === 'since' || name === 'until') && /^\d{4}-\d\d-\d\d$/.test(value)
    ? [name, `${value}T00:00:00Z`]
    : [name, value];

type Query = readonly (readonly [string, string])[];

const searchOf = (query: Query) => new URLSearchParams(query.map(([name, value]) => [name, value]));
const toParameters = (query: Query) =>
  Object.fromEntries(
    [...Map.groupBy(query, ([name]) => name)].map(([name, of]) => [name, of.map(([, value]) => value)]),
  );

/** The points of two answers, each once. */
const mergePoints = (a: Frontier['data'], b: Frontier['data']): Frontier['data'] => [
  ...new Map([...a, ...b].map((point) => [keyOf(point.system.id, point.load), point])).values(),
];

/** The model of all points; null if there are several. */
function onlyModel(points: Frontier['data']): string | null {
  const titles = new Set(points.map(({ system }) => systemTitle(system)));
  return titles.size === 1 ? ([...titles][0] ?? null) : null;
}

/** The query for one workload. */
const ofWorkload = (query: Query, id: string | undefined): Query =>
  id === undefined ? query : [...query.filter(([name]) => name !== 'workload'), ['workload', id]];

/** The models that the form offers: all that meet the other filters. */
async function readOffered(api: Api, query: Query, by: ColourFact): Promise<ModelChoice[]> {
  const { data } = await readModels(api, toParameters(query.filter(([name]) => name !== 'model')), by);
  return data?.models ?? [];
}

/** What a chart of several models compares. */
const ofSeveralModels = ({ by, curves }: ExplorerState) =>
  curves === 'frontier' ? `best model of each ${by === 'gpu' ? 'GPU' : by}` : 'all models';

/** The models of a workload, of which the first is drawn; null if the curves may mix models or cannot. */
async function chooseModel(api: Api, state: ExplorerState, asked: Query) {
  if (state.allModels || !mixesModels(state)) return { chosen: null, problem: null };
  const { data, problem } = await readModels(api, toParameters(asked), state.by);
  return { chosen: data, problem };
}

/**
 * Reads the data of a state, or the error.
 *
 * @param withScores whether to read the scores that the form offers as axes
 * @param withModels whether to read the models that the form offers
 * @param comparison the comparison of the selected systems, if it was read before
 */
export async function readExplorer(
  api: Api,
  state: ExplorerState,
  {
    withScores = false,
    withModels = false,
    comparison = null,
  }: { withScores?: boolean; withModels?: boolean; comparison?: Comparison | null } = {},
): Promise<{ view: ExplorerView; problem: null } | { view: null; problem: Problem }> {
  const given: Query = [['x', state.x], ['y', state.y], ...state.filters.map(withTime)];
  const { chosen: choice, problem } = await chooseModel(api, state, given);
  if (problem !== null) return { view: null, problem };
  const chosenModel = choice?.models[0]?.id ?? null;
  const asked: Query =
    chosenModel === null ? given : [...ofWorkload(given, choice?.workload?.id), ['model', chosenModel]];
  // Selected systems are drawn over all their loads, so no frontier is needed to find them.
  const chosen = state.filters.flatMap(([name, value]) => (name === 'system' ? [value] : []));
  const isOfChosen = chosen.length > 0 && (state.curves === 'systems' || state.by === 'system');
  const best: Query = isOfChosen ? asked : [...asked, ['frontier_of', state.by]];
  const [first, scoreAxes, compared] = await Promise.all([
    api.getPareto(toParameters(best)),
    withScores ? readScoreAxes(api, state.filters) : [],
    state.by === 'system' ? (comparison ?? readComparison(api, chosen)) : null,
  ]);
  if (first.data === null) return { view: null, problem: first.problem };
  const { workload, x: xSide, y: ySide } = first.data;
  const isLower = ySide.better === 'lower';
  const systems = new Set(
    first.data.data.toSorted((a, b) => (isLower ? a.y - b.y : b.y - a.y)).map(({ system }) => system.id),
  );
  const shown = [...systems].slice(0, systemsMax);
  const ofSystems: Query = [...ofWorkload(asked, workload?.id), ...shown.map((id) => ['system', id] as const)];
  const isBySystem = state.curves === 'systems' && shown.length > 0 && !isOfChosen;
  const query = isBySystem ? ofSystems : best;
  const answer = isBySystem ? await api.getPareto(toParameters(query)) : first;
  if (answer.data === null) return { view: null, problem: answer.problem };
  const sideOf = ({ metric, unit, better }: typeof xSide): AxisChoice =>
    axisOf(metric) ?? { name: metric, title: metric, unit, better };
  const [x, y] = [sideOf(xSide), sideOf(ySide)];
  const naming = compared && namingOf(compared, [x, y], workload?.id ?? null);
  // The frontier of each group, and the other points.
  const all = state.curves === 'points' && !isOfChosen ? (await api.getPareto(toParameters(asked))).data : null;
  const points = mergePoints(answer.data.data, all?.data ?? []);
  const drawing = drawExplorer(points, state, [x, y], naming);
  const pinned = drawing?.pinned == null ? null : await readPinned(api, drawing.pinned, [x, y], workload?.id ?? null);
  const notes = [
    ...(isBySystem || (isOfChosen && state.curves === 'systems')
      ? ['A curve connects the points of one system at its loads.']
      : [
          'A curve connects the best points of a group across systems and loads: no other point of the group beats them on both axes.',
          ...differencesNote(points, state),
        ]),
    ...(drawing !== null && state.curves === 'points' ? leftOutNote(drawing, (all ?? answer.data).excluded) : []),
    ...(isBySystem && systems.size > shown.length
      ? [`Shows ${shown.length} of the ${systems.size} systems on a frontier: those with the best points.`]
      : []),
    ...(chosenModel === null
      ? []
      : [
          `The chart is of the model with the most ${groupWords[state.by]}s. Choose another model or all models in the controls.`,
        ]),
    ...[xSide, ySide].flatMap(scoreNote),
    ...datesNote(state),
    ...(drawing !== null && drawing.others > 0
      ? [`The chart omits ${formatPlural(drawing.others, 'more group')}.`]
      : []),
  ];
  const model = onlyModel(points);
  const of = [
    ...(workload === null ? [] : [workloadTitle(workload.id)]),
    ...(model === null && points.length > 0 && mixesModels(state) ? [ofSeveralModels(state)] : []),
  ];
  const title = [`${y.title} over ${withinSentence(x.title)}`, ...of].join(', ');
  const offered =
    withModels && offersModels(state)
      ? (choice?.models ?? (await readOffered(api, ofWorkload(given, workload?.id), state.by)))
      : [];
  return {
    view: {
      ...{
        state: { ...state, x: x.name, y: y.name },
        x,
        y,
        workload: workload?.id ?? null,
        // The workloads of all models: another workload may have another model.
        workloads: workloadsOf(choice?.workload ?? workload),
        models: offered,
        chosenModel,
        scoreAxes,
        drawing,
        pinned,
        notes,
      },
      title: model === null ? title : `${model}: ${withinSentence(title)}`,
      href: stateHref(state),
      apiPath: `/v1/pareto?${searchOf(query)}`,
    },
    problem: null,
  };
}
