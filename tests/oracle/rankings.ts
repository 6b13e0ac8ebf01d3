import type { PointStatistics } from '../../packages/core/src/statistics/point-statistics.ts';
import { ask, askPages, compareKeys, isNear } from './ask.ts';
import { type Board, type BoardQuestion, type Candidate, defaultRank, placesOf, toBoard } from './board.ts';
import type { Alternative } from './census.ts';
import { toQuery } from './filters.ts';
import { limitFor, type World } from './lists.ts';
import { familyOf, type Standing } from './points.ts';
import { makeDefinition, makeFilters, servingMetrics, spoken } from './questions.ts';
import type { Random } from './random.ts';
import type { ResultView } from './rows.ts';

interface EntryView {
  rank: number | null;
  rank_spread: [number, number] | null;
  disputed: boolean;
  value: number;
  statistics: Omit<PointStatistics, 'outliers'> & {
    outliers: { result_id: string | null }[];
    assumed: { cv: number; n_points: number; interval: [number, number] } | null;
    runs: { result_id: string }[];
  };
  system: ResultView['system'] & {
    model: { id: string | null; family: string | null; name: string };
    quantization: { id: string | null; name: string; recipe: string[] };
    gpu: { id: string | null; family: string | null; name: string };
    engine: { id: string | null; name: string };
  };
  kind: string;
  status: string;
  scenario: ResultView['scenario'];
  load: ResultView['load'];
  trust: string;
}

/** The fixed properties of a response. */
export interface ChoiceView extends Alternative {
  chosen_because: string;
  others: Alternative[];
}

export type BestView = Omit<BoardView, 'next_cursor'> & { account?: { id: string; name: string } | null };

interface BoardView {
  rank_by: string;
  order: 'asc' | 'desc';
  rank_by_choice: ChoiceView;
  workload: ChoiceView | null;
  definition: ChoiceView | null;
  data: EntryView[];
  excluded: Record<string, number>;
  next_cursor: string | null;
}

const pointOf = ({ system, kind, scenario, load }: EntryView) => JSON.stringify([system.id, kind, scenario, load]);

/** The point that a response shows for a subject, if several are equally good. */
function shownOf(board: Board, key: string, view: EntryView): Candidate | undefined {
  const equals = board.entries.get(key)?.equals ?? [];
  return equals.find(({ standing }) => standing.first.place === pointOf(view) && standing.status === view.status);
}

/** Compares entries with the expected ones; returns the differences in words. `all`: the response has every entry. */
export function compareEntries(
  views: readonly EntryView[],
  board: Board,
  all: readonly EntryView[],
  keyOf: (view: EntryView) => string,
  order: 'asc' | 'desc',
): string[] {
  const shown = new Map(all.map((view) => [keyOf(view), view]));
  // If the response is truncated, entries after its end can be at any of their points.
  const others = [...board.entries].flatMap(([key, { equals }]) => {
    const view = shown.get(key);
    return (view === undefined ? equals[0] : shownOf(board, key, view)) ?? [];
  });
  return views.flatMap((view) => {
    const key = keyOf(view);
    const candidate = shownOf(board, key, view);
    if (candidate !== undefined) return compareEntry(key, view, candidate, placesOf(candidate, others, order));
    const wanted = board.entries.get(key)?.equals.map(({ standing }) => standing.first.place) ?? [];
    return [`${key}: stands at ${pointOf(view)}, not ${wanted.join(' or ') || 'at all'}`];
  });
}

function compareEntry(key: string, view: EntryView, candidate: Candidate, places: [number, number]): string[] {
  const said = (what: string, found: unknown, wanted: unknown) =>
    `${key}: ${what} is ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`;
  const differences: string[] = [];
  if (!isNear(view.value, candidate.figure.mean)) differences.push(said('value', view.value, candidate.figure.mean));
  const { isDisputed } = candidate.standing;
  // It sorts after its equals.
  const rank = places[isDisputed ? 1 : 0];
  if (view.rank !== rank) differences.push(said('rank', view.rank, rank));
  if (view.rank_spread?.join() !== places.join()) differences.push(said('rank_spread', view.rank_spread, places));
  if (view.disputed !== isDisputed) differences.push(said('disputed', view.disputed, isDisputed));
  if (view.trust !== candidate.standing.trust) differences.push(said('trust', view.trust, candidate.standing.trust));
  const { figure, assumed } = candidate;
  const scale = Math.abs(figure.mean);
  for (const name of ['n', 'mean', 'sd', 'median', 'min', 'max'] as const) {
    if (!isNear(view.statistics[name], figure[name], scale))
      differences.push(said(name, view.statistics[name], figure[name]));
  }
  const [low, high] = [view.statistics.ci95, figure.ci95].map((interval) => interval ?? [null, null]);
  if (!isNear(low?.[0], high?.[0], scale) || !isNear(low?.[1], high?.[1], scale))
    differences.push(said('ci95', low, high));
  const outliers = (figure.basis === 'results' ? figure.outliers : []).map(({ index }) => figure.behind[index]?.id);
  const listed = view.statistics.outliers.flatMap(({ result_id }) => result_id ?? []);
  if (listed.join() !== outliers.join()) differences.push(said('outliers', listed, outliers));
  const runs = figure.behind.slice(0, 20).map(({ id }) => id);
  if (view.statistics.runs.map(({ result_id }) => result_id).join() !== runs.join())
    differences.push(said('runs', view.statistics.runs.length, runs.length));
  const interval = view.statistics.assumed?.interval;
  if ((interval === undefined) !== (assumed === null) || !isNear(view.statistics.assumed?.cv, assumed?.cv))
    differences.push(said('assumed', view.statistics.assumed, assumed));
  else if (interval !== undefined && !interval.every((end, side) => isNear(end, candidate.interval[side], scale)))
    differences.push(said('assumed interval', interval, candidate.interval));
  return differences;
}

export const nonZero = (counts: Record<string, number>) =>
  JSON.stringify(
    Object.entries(counts)
      .filter(([, count]) => count !== 0)
      .sort(),
  );

/** Maximum number of alternatives in a response. */
const othersMax = 20;
const summaryOf = (choices: readonly Alternative[]) =>
  choices
    .slice(0, othersMax)
    .map(({ id, systems }) => `${id} ${systems}`)
    .join();

/** Whether a response has the expected fixed properties and the same alternatives. */
export function compareChoice(
  what: string,
  view: ChoiceView | null,
  id: string | null,
  others: readonly Alternative[],
) {
  if ((view?.id ?? null) !== id) return [`${what}: ${view?.id ?? null}, not ${id}`];
  if (view === null || summaryOf(view.others) === summaryOf(others)) return [];
  return [`${what} ${id}: others are ${summaryOf(view.others)}, not ${summaryOf(others)}`];
}

export function compareBoard(what: string, view: BestView, board: Board): string[] {
  const differences = [
    ...compareChoice(`${what} definition`, view.definition, board.definition, board.definitionOthers),
    ...compareChoice(`${what} workload`, view.workload, board.workload?.id ?? null, board.workloadOthers),
  ];
  if (nonZero(view.excluded) !== nonZero(board.excluded))
    differences.push(`${what}: excludes ${nonZero(view.excluded)}, not ${nonZero(board.excluded)}`);
  const inOrder = view.data.every((entry, place) => {
    const before = view.data[place - 1];
    if (before === undefined) return true;
    const [first, second] = [before, entry].map((one) => keyOf(one, view.order)) as [number, number];
    const step = view.order === 'desc' ? first - second : second - first;
    const isBehind = Number(before.disputed) - Number(entry.disputed) || (before.system.id < entry.system.id ? -1 : 1);
    return step > 0 || (step === 0 && isBehind < 0);
  });
  if (!inOrder) differences.push(`${what}: not in order`);
  return differences;
}

/** Sort value of an entry: for a disputed one the worse end of its interval, so that it follows its equals. */
function keyOf({ value, disputed, statistics: { ci95, assumed } }: EntryView, order: 'asc' | 'desc'): number {
  if (!disputed) return value;
  return (ci95 ?? assumed?.interval ?? [value, value])[order === 'desc' ? 0 : 1];
}

export const betterFirst = (metric: string) => (familyOf(metric).direction === 'lower' ? 'asc' : 'desc');

/** The default ranking metric and workload of a board. */
function settle(standings: readonly Standing[], question: Omit<BoardQuestion, 'rankBy' | 'order' | 'subjectOf'>) {
  const found = defaultRank(standings, question);
  const { filters } = question;
  return { ...found, filters: found.workload === null ? filters : { ...filters, workload: [found.workload.id] } };
}

/** All systems' best points, by page. */
export async function checkLeaderboard({ app, rows, standings }: World, random: Random): Promise<string[]> {
  const filters = makeFilters(random, rows);
  const isKernel = random.chance(0.05);
  const isDefault = random.chance(0.25);
  const wanted = isKernel ? 'forward_ms' : random.pick(servingMetrics);
  const definition = isDefault ? null : makeDefinition(random, wanted);
  const order = random.pick([undefined, undefined, 'asc', 'desc'] as const);
  const query: [string, string][] = [
    ...(isDefault ? [] : ([['rank_by', spoken(random, wanted)]] as [string, string][])),
    ...(definition === null ? [] : ([['definition', definition]] as [string, string][])),
    ...(order === undefined ? [] : ([['order', order]] as [string, string][])),
    ...toQuery(filters),
  ];
  const dimensions = ['system'];
  const settled = isDefault ? settle(standings, { filters, dimensions, definition }) : null;
  const first = await ask<BoardView>(app, '/v1/leaderboard', query);
  const differences: string[] = [];
  // Without a preferred metric, the response must name one of the available ones.
  const rankBy = isDefault ? (settled?.rankBy ?? first.rank_by) : wanted;
  if (settled?.rankBy === null && settled.workload !== null && first.data.length === 0)
    differences.push('leaderboard: silent, though something meets the filters');
  const ranked = toBoard(standings, {
    rankBy,
    order: order ?? betterFirst(rankBy),
    filters: settled?.filters ?? filters,
    definition,
    dimensions,
    subjectOf: ({ first: { systemId } }) => systemId,
  });
  const board = settled === null ? ranked : { ...ranked, workloadOthers: settled.workloadOthers };
  if (settled?.rankBy != null)
    differences.push(...compareChoice('leaderboard metric', first.rank_by_choice, settled.rankBy, settled.others));
  const limit = limitFor(random, board.entries.size);
  const { items, pages } = await askPages<EntryView, BoardView>(app, '/v1/leaderboard', query, limit);
  differences.push(...pages.flatMap((page) => compareBoard('leaderboard', page, board)));
  if (pages.some((page) => page.rank_by !== rankBy || page.order !== (order ?? betterFirst(rankBy))))
    differences.push('leaderboard: ranks by something else');
  const whole = { ...(pages[0] as BoardView), data: items };
  const found = items.map(({ system }) => system.id);
  return [
    ...differences,
    ...compareBoard('leaderboard', whole, board),
    ...compareKeys('leaderboard', found, [...board.entries.keys()]),
    ...compareEntries(items, board, items, ({ system }) => system.id, order ?? betterFirst(rankBy)),
  ];
}

/** Different recipes are different subjects. */
function quantizationOf({ id, name, recipe = [] }: { id: string | null; name: string; recipe?: readonly string[] }) {
  return id === null ? name.toLowerCase() : [id, ...recipe.toSorted()].join('_');
}

/** The identity of a subject: its id, else its family, else its case-insensitive name. */
export const subjects: Record<
  string,
  { of: (standing: Standing) => string; in: (system: EntryView['system']) => string }
> = {
  model: {
    of: ({ first: { facts } }) => facts.model.id ?? facts.model.family ?? facts.model.text.toLowerCase(),
    in: ({ model }) => model.id ?? model.family ?? model.name.toLowerCase(),
  },
  gpu: {
    of: ({ first: { facts } }) => facts.gpu.id ?? facts.gpu.family ?? facts.gpu.text.toLowerCase(),
    in: ({ gpu }) => gpu.id ?? gpu.family ?? gpu.name.toLowerCase(),
  },
  quantization: {
    of: ({ first: { facts } }) => quantizationOf({ ...facts.quantization, name: facts.quantization.text }),
    in: ({ quantization }) => quantizationOf(quantization),
  },
  engine: {
    of: ({ first: { facts } }) => facts.engine.id ?? facts.engine.text.toLowerCase(),
    in: ({ engine }) => engine.id ?? engine.name.toLowerCase(),
  },
  system: { of: ({ first }) => first.systemId, in: ({ id }) => id },
};
