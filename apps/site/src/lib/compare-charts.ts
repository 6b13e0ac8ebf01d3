import { formatLoad } from '@inferboard/core/load';
import type { Metric } from '@inferboard/core/metrics/index';
import { type RatioChart, ratioChart } from '../charts/overlay-ratios.ts';
import { type AxisChoice, axisOf } from '../explorer/axes.ts';
import { type Drawing, drawExplorer, keyOf } from '../explorer/drawing.ts';
import { type ColourFact, colourFacts, type ExplorerState, readState, stateHref } from '../explorer/state.ts';
import type { Api, Comparison } from './api.ts';
import { workloadTitle } from './board-choices.ts';
import type { Parameter } from './board-query.ts';
import { comparedNames } from './compare-names.ts';
import type { ComparedSystem } from './compare-view.ts';
import { ratioText } from './compare-view.ts';
import { headlineMetrics, metricOf } from './metric-text.ts';
import { toQuery } from './parameters.ts';
import { scenarioText } from './words.ts';

type Points = Comparison['points'];
type Figure = NonNullable<Points[number]['metrics'][number]['figures'][number]>;

/** Fewer loads make no curve. */
const levelsMin = 3;
/** More rows than this are a wall, and stand in the tables. */
const rowsMax = 24;

/** With more of them the page is a wall; the tables have the others. */
const chartsMax = 12;

/** Filters that each chart states itself. */
const ownFilters: ReadonlySet<string> = new Set(['workload', 'scenario', 'regime', 'system']);

/** The fact that colours stand for in the explorer. */
const factOf = (differences: Comparison['differences']): ColourFact =>
  colourFacts.find((fact) => differences.some(({ field }) => field === fact || field === `${fact}_version`)) ?? 'gpu';

/** Metrics worth drawing that some point has of two systems or more, the one of most points first. */
export function drawable(points: Points): Metric[] {
  const counts = new Map<string, number>();
  for (const { metrics } of points)
    for (const { metric, figures } of metrics) {
      const count = figures.filter((figure) => figure !== null).length;
      if (count > 1) counts.set(metric, (counts.get(metric) ?? 0) + count);
    }
  // A rate of the whole system tells most in one number.
  const weight = ({ name, family }: Metric) => (counts.get(name) ?? 0) + (family.direction === 'higher' ? 0.5 : 0);
  return headlineMetrics
    .filter(({ name, family }) => counts.has(name) && family.unit !== '')
    .toSorted((a, b) => weight(b) - weight(a));
}

const figuresOf = (point: Points[number], metric: Metric): readonly (Figure | null)[] =>
  point.metrics.find((found) => found.metric === metric.name)?.figures ?? [];

/** Tokens of one stream after another: each of these follows from the others, so no two of them make a chart. */
const paces: ReadonlySet<string> = new Set(['user_tok_s', 'itl_ms', 'tpot_ms']);
const horizontal = [
  'user_tok_s',
  'output_tok_s_per_gpu',
  'ttft_ms_mean',
  'e2e_ms_mean',
  'output_tok_s',
  'prefill_tok_s',
];

/** One workload with all systems over their loads. */
export interface WorkloadChart {
  /** Unique on its page. */
  id: string;
  title: string;
  drawing: Drawing;
  exploreHref: string;
}

/** The figures of a metric by the system and the load that they were measured at. */
function intervalsBy(points: Points, metric: string, ids: readonly string[]) {
  return new Map(
    points.flatMap(({ load, metrics }) =>
      (metrics.find((each) => each.metric === metric)?.figures ?? []).flatMap((figure, at) =>
        figure?.ci95 == null ? [] : [[keyOf(ids[at] ?? '', load), figure.ci95] as const],
      ),
    ),
  );
}

/** What is drawn along: the first figure of the list that the workload has and that does not follow from the other axis. */
function alongOf(points: Points, { name, family }: Metric): AxisChoice | null {
  const isPace = paces.has(family.base);
  const found = horizontal.find((other) => {
    const base = metricOf(other)?.family.base ?? other;
    if (base === family.base || (isPace && paces.has(base))) return false;
    return (
      points.filter(({ metrics }) => [other, name].every((each) => metrics.some((found) => found.metric === each)))
        .length >= levelsMin
    );
  });
  return found === undefined ? null : axisOf(found);
}

/** The explorer's chart for each workload that was asked under several loads, by one metric. */
export async function workloadCharts(
  api: Api,
  metric: Metric,
  { points, systems, differences }: Comparison,
  filters: readonly Parameter[],
): Promise<WorkloadChart[]> {
  const ids = systems.map(({ id }) => id);
  const names = comparedNames({ systems, differences });
  const y = axisOf(metric.name);
  const workloads = [...Map.groupBy(points, ({ workload }) => workload.id)].slice(0, chartsMax);
  const charts = workloads.map(async ([workload, list], at): Promise<WorkloadChart[]> => {
    const x = alongOf(list, metric);
    if (x === null || y === null) return [];
    const state: ExplorerState = {
      ...readState(new URLSearchParams()),
      ...{ x: x.name, y: y.name, curves: 'systems', by: factOf(differences) },
      filters: [
        ...filters.filter(([name]) => !ownFilters.has(name)),
        ['workload', workload],
        ...ids.map((id): Parameter => ['system', id]),
      ],
    };
    const { data } = await api.getPareto(toQuery([['x', x.name], ['y', y.name], ...state.filters]));
    const [across, up] = [intervalsBy(list, x.name, ids), intervalsBy(list, y.name, ids)];
    const drawing = drawExplorer(data?.data ?? [], state, [x, y], {
      names: new Map(ids.map((id, place) => [id, names[place] ?? id])),
      intervalsOf: ({ system, load }) => {
        const key = keyOf(system.id, load);
        return { x: across.get(key) ?? null, y: up.get(key) ?? null };
      },
    });
    if (drawing === null || drawing.curves.every((curve) => curve.points.length < levelsMin)) return [];
    return [{ id: `workload-${at + 1}`, title: workloadTitle(workload), drawing, exploreHref: stateHref(state) }];
  });
  return (await Promise.all(charts)).flat();
}

/** USD that an hour of each system costs, from the price of its output; null where no price is known. */
export async function hourlyCosts(api: Api, points: Points, ids: readonly string[]): Promise<(number | null)[]> {
  if (!points.some(({ metrics }) => metrics.some(({ metric }) => metric === 'output_tok_s'))) return [];
  const { data } = await api.getPareto({ x: ['output_tok_s'], y: ['usd_per_mtok_output'], system: [...ids] });
  return ids.map((id) => {
    const point = data?.data.find(({ system }) => system.id === id);
    return point === undefined ? null : (point.x * point.y * 3600) / 1e6;
  });
}

/** Every system's ratio to the first at every point; null where no ratio is known. */
export function ratiosChart(metric: Metric, points: Points, systems: readonly ComparedSystem[]): RatioChart | null {
  const rows = points.flatMap((point, row) => {
    const { title } = scenarioText(point.scenario);
    const ratios = figuresOf(point, metric).flatMap((figure, at) => {
      const system = systems[at];
      const text = ratioText(figure?.compared ?? null);
      if (system === undefined || figure?.compared?.ratio == null || text === null) return [];
      return [
        {
          ratio: figure.compared.ratio,
          interval: figure.compared.interval,
          text: `${system.letter} ${text.text}`,
          name: `${system.letter} ${system.title} ${system.quantization ?? ''}: ${text.interval ?? 'no interval'}, ${text.words}`,
          mark: system.mark,
          href: `#point-${row + 1}`,
        },
      ];
    });
    return ratios.length === 0 ? [] : [{ label: title, sub: formatLoad(point.load), ratios }];
  });
  if (rows.length === 0 || rows.length > rowsMax) return null;
  const [baseline] = systems;
  const way = metric.family.direction === 'lower' ? 'less is better' : 'more is better';
  return ratioChart(
    `${metric.title}: ratio to ${baseline?.letter ?? 'the first'}`,
    `${metric.title} over that of ${baseline?.letter ?? 'the first'}, ${way}`,
    rows,
  );
}
