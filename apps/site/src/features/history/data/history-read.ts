import type { Metric } from '@inferboard/core/metrics/index';
import type { Api, Change, History, Problem } from '../../../lib/api.ts';
import { metricOf, presentMetrics } from '../../../lib/metric-text.ts';
import { toQuery } from '../../../lib/parameters.ts';
import type { Parameter } from '../../board/data/board-query.ts';
import { speedMetric } from '../../board/data/ranked-metric.ts';
import type { Lineage } from './history-lineages.ts';
import { lineageLabel, toLineages } from './history-lineages.ts';
import {
  changeLists,
  everyChange,
  type HistoryQuery,
  type HistoryQuestion,
  type HistoryStep,
  historyApiQuery,
} from './history-query.ts';
import { isJudged } from './history-verdict.ts';
import { type HistoryLine, type HistoryPlace, placeKey, type Series } from './history-view.ts';

/** Charts per page: of one system, and of all systems that meet the filters. */
const [placesShown, overlaysShown] = [12, 6];

/** Maximum number of overlaid configurations. */
const linesShown = 6;

const changesShown = 20;

/** Number of charts without a selection. */
const openingPlaces = 2;

/** Maximum number of values of a repeated parameter. */
const valuesMax = 50;

/** Default metrics: the first one that the system has. */
const wanted = [
  speedMetric,
  'output_tok_s_per_gpu',
  'output_tok_s',
  'user_tok_s',
  'prefill_tok_s',
  'itl_ms_mean',
  'ttft_ms_mean',
  'forward_ms',
];

/** Metrics of the change that opens the page. */
const opened = ['output_tok_s_per_gpu', ...wanted.filter((name) => name !== 'output_tok_s_per_gpu')];

/** The data of a history page, for every kind of selection. */
export interface HistoryReading {
  problem: Problem | null;
  metric: Metric | null;
  /** Metrics of the system; empty if they were not read. */
  metrics: Metric[];
  by: HistoryStep;
  /** The history of the single system; null for overlaid configurations. */
  history: History | null;
  /** The resolved query; null without a system. */
  question: HistoryQuestion | null;
  places: HistoryPlace[];
  /** Number of scenario and load pairs on all pages. */
  placesCount: number;
  lineages: Lineage[];
  /** True if the API has more systems than were read. */
  hasMore: boolean;
  changes: Change[];
  /** The newest change between versions. Its history is shown first without a selection; null otherwise. */
  opening: { change: Change; history: History } | null;
}

const nothing: HistoryReading = {
  problem: null,
  metric: null,
  metrics: [],
  by: 'version',
  history: null,
  question: null,
  places: [],
  placesCount: 0,
  lineages: [],
  hasMore: false,
  changes: [],
  opening: null,
};

/** The metrics of a system and the default one. */
async function chooseMetric(api: Api, id: string, asked: string | null) {
  const { data, problem } = await api.getSystem(id);
  const metrics = data === null ? [] : presentMetrics(data.points.map(({ statistics }) => statistics));
  const names = new Set<string>(metrics.map(({ name }) => name));
  const name = asked ?? wanted.find((candidate) => names.has(candidate)) ?? metrics[0]?.name ?? speedMetric;
  return { metrics, name, problem };
}

/** The verdicts of the systems; none for a metric without a better direction. */
async function readChanges(
  api: Api,
  metric: Metric | null,
  { changes }: HistoryQuery,
  filters: readonly Parameter[],
): Promise<Change[]> {
  if (metric === null || metric.family.direction === 'neutral') return [];
  const asked: readonly Parameter[] = changeLists.find(({ id }) => id === changes)?.asked ?? [];
  const answers = await Promise.all(
    (asked.length === 0 ? everyChange : [asked]).map((one) =>
      api.listChanges(toQuery([['metric', metric.name], ...one, ...filters, ['limit', String(changesShown)]])),
    ),
  );
  const all = answers.flatMap(({ data }) => data?.data ?? []);
  return [...new Map(all.map((change) => [change.id, change])).values()];
}

/** Filters for the single results of these scenarios and loads. They match few other results. */
function narrowed({ filters }: HistoryQuery, places: readonly Series[]): readonly Parameter[] {
  const has = (name: string) => filters.some((filter) => filter[0] === name);
  const levels = new Set(places.map(({ load }) => load.level));
  const scenarios = [...new Set(places.map(({ scenario }) => scenario.id))];
  return [
    ...filters,
    ...(has('scenario') ? [] : scenarios.map((id): Parameter => ['scenario', id])),
    ...(has('load_level') || levels.has(null)
      ? []
      : [...levels].map((level): Parameter => ['load_level', String(level)])),
  ];
}

const lineOf = (name: string, series: Series, runs: readonly Series[]): HistoryLine => ({
  name,
  values: series.values,
  runs: runs.find((one) => placeKey(one) === placeKey(series))?.values ?? [],
  truncated: series.truncated,
});

/** A system's history: by version if it has several, else its single results. The URL can override this. */
async function readSystem(api: Api, query: HistoryQuery, system: string): Promise<HistoryReading> {
  const chosen = await chooseMetric(api, system, query.metric);
  if (chosen.problem !== null) return { ...nothing, problem: chosen.problem };
  const { name, metrics } = chosen;
  const question = (by: HistoryStep, filters = query.filters) => ({ system, metric: name, by, filters });
  const byVersion = await api.getHistory(historyApiQuery(question('version')));
  if (byVersion.data === null) return { ...nothing, problem: byVersion.problem, metrics, metric: metricOf(name) };
  const measured = new Set(byVersion.data.data.flatMap(({ values }) => values.map((value) => value.system_id)));
  const by = query.by ?? (measured.size > 1 ? 'version' : 'result');
  const answer = by === 'version' ? byVersion : await api.getHistory(historyApiQuery(question(by)));
  if (answer.data === null) return { ...nothing, problem: answer.problem, metrics, metric: metricOf(name) };
  const history = answer.data;
  const shown = history.data.slice((query.page - 1) * placesShown, query.page * placesShown);
  const metric = metricOf(name);
  const ids = history.versions.slice(-valuesMax).map((version): Parameter => ['system', version.system_id]);
  const [runs, changes] = await Promise.all([
    by === 'result' || shown.length === 0
      ? answer
      : api.getHistory(historyApiQuery(question('result', narrowed(query, shown)))),
    readChanges(api, metric, query, [...ids, ...query.filters]),
  ]);
  return {
    ...nothing,
    metric,
    metrics,
    by,
    history,
    question: question(by),
    places: shown.map((series) => ({ series, lines: [lineOf('', series, runs.data?.data ?? [])] })),
    placesCount: history.data.length,
    changes,
  };
}

/** Scenario and load pairs that a configuration has on two or more versions, with a line for each version. */
function overlay(histories: readonly { name: string; series: readonly Series[] }[]): HistoryPlace[] {
  const all = histories.flatMap(({ name, series }) => series.map((one) => ({ one, line: lineOf(name, one, []) })));
  return [...Map.groupBy(all, ({ one }) => placeKey(one)).values()]
    .filter((list) => list.some(({ line }) => line.values.length > 1))
    .flatMap((list) => list.slice(0, 1).map(({ one }) => ({ series: one, lines: list.map(({ line }) => line) })));
}

/** Number of the newest changes to choose the first one from. */
const openingChoice = '50';
/** Metrics that are searched for a change with a verdict once another one is known. */
const searched = 2;

const sizeOf = ({ ratio }: Change) => (ratio === null || ratio <= 0 ? 0 : Math.abs(Math.log(ratio)));

/** True if the newer version was measured later, so that the change is one over time. */
const isForward = ({ new: fresh, old }: Change) =>
  fresh.measured_at !== null && old.measured_at !== null && fresh.measured_at > old.measured_at;

/**
 * The newest change between two engine versions, by the selected metric or the first one with a change. Without any that has a
 * verdict, it is the largest of the newest: figures that were measured once have no verdict.
 */
async function findOpening(api: Api, asked: string | null): Promise<Change | null> {
  let largest: Change | null = null;
  for (const [at, metric] of (asked === null ? opened : [asked]).entries()) {
    if (largest !== null && at >= searched) break;
    const { data } = await api.listChanges({ metric: [metric], type: ['version'], limit: [openingChoice] });
    const judged = data?.data.find(isJudged);
    if (judged !== undefined) return judged;
    const [first] = data?.data.filter(isForward).toSorted((a, b) => sizeOf(b) - sizeOf(a)) ?? [];
    largest ??= first ?? null;
  }
  return largest;
}

/** Scenario and load pairs of a changed system with several versions, the changed load first. */
async function readOpening(api: Api, change: Change): Promise<{ history: History; places: HistoryPlace[] } | null> {
  const question = { system: change.new.system_id, metric: change.metric, by: 'version', filters: [] } as const;
  const { data: history } = await api.getHistory(historyApiQuery(question));
  if (history === null) return null;
  const isOfChange = ({ scenario, load }: Series) =>
    scenario.id === change.scenario.id && load.mode === change.load.mode && load.level === change.load.level;
  const series = history.data.toSorted((a, b) => Number(isOfChange(b)) - Number(isOfChange(a)));
  return { history, places: overlay([{ name: '', series }]).slice(0, openingPlaces) };
}

/** All configurations that meet the filters. Those of one model or GPU share charts over time. */
async function readLineages(api: Api, query: HistoryQuery): Promise<HistoryReading> {
  const [listed, change] = await Promise.all([
    api.listSystems(toQuery([...query.filters, ['limit', '200']])),
    query.filters.length === 0 ? findOpening(api, query.metric) : null,
  ]);
  if (listed.problem !== null) return { ...nothing, problem: listed.problem };
  const lineages = toLineages(listed.data.data);
  const followed = lineages.filter(({ systems }) => systems.length > 1).slice(0, linesShown);
  const first = (followed[0] ?? lineages[0])?.systems[0];
  const { name, metrics } =
    change !== null
      ? { name: change.metric, metrics: [] }
      : first === undefined
        ? { name: query.metric ?? speedMetric, metrics: [] }
        : await chooseMetric(api, first.id, query.metric);
  const metric = metricOf(name);
  // A chart of all configurations would not be readable.
  const drawn = query.filters.length === 0 ? [] : followed;
  const [opening, changes, ...answers] = await Promise.all([
    change === null ? null : readOpening(api, change),
    readChanges(api, metric, query, query.filters),
    ...drawn.map(({ systems }) =>
      api.getHistory(
        historyApiQuery({ system: systems[0]?.id ?? '', metric: name, by: 'version', filters: query.filters }),
      ),
    ),
  ]);
  const refused = answers.find(({ problem }) => problem !== null);
  const places =
    opening?.places ??
    overlay(drawn.map((lineage, at) => ({ name: lineageLabel(lineage), series: answers[at]?.data?.data ?? [] })));
  return {
    ...nothing,
    problem: refused?.problem ?? null,
    metric,
    metrics,
    places: places.slice((query.page - 1) * overlaysShown, query.page * overlaysShown),
    placesCount: places.length,
    lineages,
    hasMore: listed.data.next_cursor !== null,
    changes,
    opening: change === null || opening === null ? null : { change, history: opening.history },
  };
}

/** Reads all data for a history's URL. */
export const readHistory = (api: Api, query: HistoryQuery): Promise<HistoryReading> =>
  query.system === null ? readLineages(api, query) : readSystem(api, query, query.system);

/** Number of pages of charts. */
export const pagesOf = ({ placesCount, history }: HistoryReading): number =>
  Math.max(1, Math.ceil(placesCount / (history === null ? overlaysShown : placesShown)));
