import type { Api, Problem } from '../lib/api.ts';
import { workloadTitle } from '../lib/board-choices.ts';
import { type AxisChoice, axisOf } from './axes.ts';
import { type Drawing, drawExplorer } from './drawing.ts';
import { type PinnedPoint, readPinned } from './pinned.ts';
import { type ExplorerState, stateHref } from './state.ts';

export interface ExplorerView {
  state: ExplorerState;
  x: AxisChoice;
  y: AxisChoice;
  title: string;
  /** Null where no point has both figures. */
  drawing: Drawing | null;
  /** The card that is open. */
  pinned: PinnedPoint | null;
  notes: string[];
  /** The page of this state. */
  href: string;
  /** The same points at the API. */
  apiPath: string;
}

/** Systems whose points are drawn over their loads: with more of them no curve can be followed. */
const systemsMax = 24;

/** "Per-user speed" becomes "per-user speed"; TTFT stays. */
const withinSentence = (title: string) =>
  /^[A-Z][a-z]/.test(title) ? title.charAt(0).toLowerCase() + title.slice(1) : title;

type Query = readonly (readonly [string, string])[];

const searchOf = (query: Query) => new URLSearchParams(query.map(([name, value]) => [name, value]));
const toParameters = (query: Query) =>
  Object.fromEntries(
    [...Map.groupBy(query, ([name]) => name)].map(([name, of]) => [name, of.map(([, value]) => value)]),
  );

/** Reads what a state shows, or why it cannot be shown. */
export async function readExplorer(
  api: Api,
  state: ExplorerState,
): Promise<{ view: ExplorerView; problem: null } | { view: null; problem: Problem }> {
  const asked: Query = [['x', state.x], ['y', state.y], ...state.filters];
  const best: Query = [...asked, ['frontier_of', state.by]];
  const first = await api.getPareto(toParameters(best));
  if (first.data === null) return { view: null, problem: first.problem };
  const { workload, x: xSide, y: ySide } = first.data;
  const isLower = ySide.better === 'lower';
  const systems = new Set(
    first.data.data.toSorted((a, b) => (isLower ? a.y - b.y : b.y - a.y)).map(({ system }) => system.id),
  );
  const shown = [...systems].slice(0, systemsMax);
  const ofSystems: Query = [
    ...asked.filter(([name]) => name !== 'workload'),
    ...(workload === null ? [] : [['workload', workload.id] as const]),
    ...shown.map((id) => ['system', id] as const),
  ];
  const isBySystem = state.curves === 'systems' && shown.length > 0;
  const query = isBySystem ? ofSystems : best;
  const answer = isBySystem ? await api.getPareto(toParameters(query)) : first;
  if (answer.data === null) return { view: null, problem: answer.problem };
  const sideOf = ({ metric, unit, better }: typeof xSide): AxisChoice =>
    axisOf(metric) ?? { name: metric, title: metric, unit, better };
  const [x, y] = [sideOf(xSide), sideOf(ySide)];
  const drawing = drawExplorer(answer.data.data, state, [x, y]);
  const pinned = drawing?.pinned == null ? null : await readPinned(api, drawing.pinned, [x, y]);
  const notes = [
    isBySystem
      ? 'A curve joins the points of one system over its loads.'
      : 'A curve joins the best points of a group over systems and loads: no other point of the group beats them on both axes.',
    ...(isBySystem && systems.size > shown.length
      ? [`The ${shown.length} systems with the best points are drawn, of ${systems.size} on a frontier.`]
      : []),
    ...(drawing !== null && drawing.others > 0
      ? [`${drawing.others} more ${drawing.others === 1 ? 'group is' : 'groups are'} in the data.`]
      : []),
  ];
  const of = workload === null ? '' : `, ${workloadTitle(workload.id)}`;
  return {
    view: {
      ...{ state: { ...state, x: x.name, y: y.name }, x, y, drawing, pinned, notes },
      title: `${y.title} over ${withinSentence(x.title)}${of}`,
      href: stateHref(state),
      apiPath: `/v1/pareto?${searchOf(query)}`,
    },
    problem: null,
  };
}
