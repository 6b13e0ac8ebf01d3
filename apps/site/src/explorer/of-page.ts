import { workloadNames } from '../features/board/data/board-choices.ts';
import type { BoardQuery, Parameter } from '../features/board/data/board-query.ts';
import type { BoardView } from '../features/board/data/board-view.ts';
import { secondAxis } from '../features/matrix/data/pareto-view.ts';
import type { Api, SystemDetail } from '../lib/api.ts';
import { metricOf } from '../lib/metric-text.ts';
import { type AxisChoice, axisOf, curveAxes } from './axes.ts';
import { factThatDiffers } from './groups.ts';
import { type ExplorerView, readExplorer } from './read.ts';
import { colourFacts, defaults, type ExplorerState, readState } from './state.ts';

/** Minimum number of points for curves on another page. */
interface Least {
  curves: number;
  points: number;
}

/** The explorer section of another page; null if there are too few points. */
async function readOfPage(
  api: Api,
  filters: readonly Parameter[],
  chosen: Partial<Pick<ExplorerState, 'x' | 'y' | 'by' | 'curves' | 'limit'>>,
  least: Least,
): Promise<ExplorerView | null> {
  const search = new URLSearchParams(filters.map(([name, value]) => [name, value]));
  const state = { ...readState(search), allModels: true, ...chosen };
  const { view } = await readExplorer(api, state, { withScores: true });
  const drawn = view?.drawing?.curves ?? [];
  const points = drawn.reduce((sum, curve) => sum + curve.points.length, 0);
  return drawn.length >= least.curves && points >= least.points ? view : null;
}

/** The explorer of a board, and the board's parameter that a limit on x sets. */
export interface BoardExplorer {
  view: ExplorerView;
  bound: string | null;
}

/** The board's parameter for a limit on an axis. */
const boundName = ({ name, better }: AxisChoice) => `${better === 'higher' ? 'min' : 'max'}_${name}`;

/** The filters of a board without those that name its workload. A bound on x becomes the limit of the chart. */
function splitBound(
  query: BoardQuery,
  x: AxisChoice | null,
): { filters: Parameter[]; limit: number | null; bound: string | null } {
  const filters = query.filters.filter(([name]) => !workloadNames.includes(name));
  if (x === null || metricOf(x.name) === null) return { filters, limit: null, bound: null };
  const side = x.better === 'higher' ? 'min_' : 'max_';
  const isBound = ([name]: Parameter) => name.startsWith(side) && metricOf(name.slice(side.length))?.name === x.name;
  const found = filters.filter(isBound);
  const limit = Number(found[0]?.[1] ?? Number.NaN);
  if (found.length !== 1 || !Number.isFinite(limit)) return { filters, limit: null, bound: boundName(x) };
  return { filters: filters.filter((each) => !isBound(each)), limit, bound: found[0]?.[0] ?? null };
}

/** Throughput over per-user speed for the GPUs of a board's workload. Null if fewer than two GPUs have both metrics. */
async function exploreGpus(
  api: Api,
  board: BoardView,
  query: BoardQuery,
  workload: Parameter,
): Promise<BoardExplorer | null> {
  const { filters: own, limit, bound } = splitBound(query, axisOf(defaults.x));
  const filters = [workload, ...own];
  const model = board.entries[0]?.system.model;
  const isOfModel = filters.some(([name]) => name === 'model' || name === 'model_family');
  const least = { curves: 2, points: 2 };
  // GPUs are compared on one model: the selected one, or the first of the board.
  const ofModel: Parameter[] = model === undefined || isOfModel ? [] : [['model', model.id ?? model.name]];
  const view =
    (ofModel.length === 0 ? null : await readOfPage(api, [...filters, ...ofModel], { limit }, least)) ??
    (await readOfPage(api, filters, { limit }, least));
  return view && { view, bound };
}

/** All points of a board by its ranked metric and another one. Null without two points. */
async function exploreRanked(
  api: Api,
  board: BoardView,
  [query, resolved]: readonly [BoardQuery, BoardQuery],
  workload: Parameter,
): Promise<BoardExplorer | null> {
  const axis = secondAxis(board, query, resolved);
  const x = axis === null ? null : axisOf(axis.chosen.metric.name);
  if (x === null) return null;
  const { filters, limit, bound } = splitBound(resolved, x);
  const by =
    colourFacts.find((fact) => fact === board.subject) ?? factThatDiffers(board.entries.map(({ system }) => system));
  const view = await readOfPage(
    api,
    [workload, ...filters],
    // With one price for all GPUs, the cost has the order of the rate.
    { x: x.name, y: isCost(board) ? defaults.y : board.metric.name, by, curves: 'points', limit },
    { curves: 1, points: 2 },
  );
  return view && { view, bound };
}

const isCost = ({ metric }: BoardView) => metricOf(metric.name) === null;

/**
 * The explorer of a board: of its GPUs, or, for a question, another subject or a metric of the URL, of its ranked metric. Null if
 * too few points have both metrics.
 */
export async function exploreBoard(
  api: Api,
  board: BoardView,
  query: BoardQuery,
  resolved: BoardQuery,
): Promise<BoardExplorer | null> {
  if (board.workload === null || query.cursor !== null) return null;
  const workload: Parameter = ['workload', board.workload];
  const isOfGpus = query.asked === null && board.subject === null && query.x === null;
  const ofGpus = isOfGpus ? await exploreGpus(api, board, resolved, workload) : null;
  return ofGpus ?? exploreRanked(api, board, [query, resolved], workload);
}

/**
 * The curves of a catalogue entry: a model's by GPU, a GPU's by model. Null if fewer than three points have both metrics.
 *
 * @param scenario the selected workload; by default the one where most systems have both metrics
 */
export const exploreEntry = (
  api: Api,
  fact: 'model' | 'gpu',
  id: string,
  scenario: string | null,
): Promise<ExplorerView | null> =>
  readOfPage(
    api,
    [[fact, id], ...(scenario === null ? [] : [['scenario', scenario] as const])],
    { by: fact === 'model' ? 'gpu' : 'model' },
    { curves: 1, points: 3 },
  );

/** Minimum number of loads for the curve of a system. */
const loadsMin = 3;

/** A system over the loads of the workload with the most points. Null if too few loads have two metrics of a curve. */
export async function exploreSystem(api: Api, { id, points }: SystemDetail): Promise<ExplorerView | null> {
  const accepted = points.filter(({ status, workload }) => status === 'accepted' && workload != null);
  const workloads = [...Map.groupBy(accepted, ({ workload }) => workload?.id ?? '')];
  for (const [x, y] of curveAxes) {
    const counts = workloads.map(([workload, of]) => ({
      workload,
      count: of.filter(({ statistics }) => statistics[x] != null && statistics[y] != null).length,
    }));
    const most = counts.toSorted((a, b) => b.count - a.count)[0];
    if (most === undefined || most.count < loadsMin) continue;
    const filters: Parameter[] = [
      ['workload', most.workload],
      ['system', id],
    ];
    const view = await readOfPage(api, filters, { x, y, curves: 'systems' }, { curves: 1, points: loadsMin });
    if (view !== null) return view;
  }
  return null;
}
