import type { Metric } from '@inferboard/core/metrics/index';
import { formatLoad } from '@inferboard/core/subjects/load';
import { type RatioChart, ratioChart } from '../../../charts/overlay-ratios.ts';
import { type AxisChoice, axisOf } from '../../../explorer/axes.ts';
import { type ExplorerView, readExplorer } from '../../../explorer/read.ts';
import { type ExplorerState, readState } from '../../../explorer/state.ts';
import type { Api, Comparison } from '../../../lib/api.ts';
import { headlineMetrics, metricOf } from '../../../lib/metric-text.ts';
import { scenarioText } from '../../../lib/words.ts';
import type { Parameter } from '../../board/data/board-query.ts';
import { isTotal } from './compare-gpus.ts';
import type { ComparedSystem } from './compare-view.ts';
import { ratioText } from './compare-view.ts';

type Points = Comparison['points'];
type Figure = NonNullable<Points[number]['metrics'][number]['figures'][number]>;

/** Minimum number of loads for a curve. */
const levelsMin = 2;
/** Maximum number of rows in a chart; the tables have all of them. */
const rowsMax = 24;

/** Maximum number of charts; the tables have the others. */
const chartsMax = 12;

/** Filters that each chart states. */
const ownFilters: ReadonlySet<string> = new Set(['workload', 'scenario', 'regime', 'system']);

/**
 * Metrics that two or more systems have, the one with the most points first.
 *
 * @param isUnlike whether the GPU counts of the systems differ; metrics of a whole system are then last
 */
export function drawable(points: Points, isUnlike = false): Metric[] {
  const counts = new Map<string, number>();
  for (const { metrics } of points)
    for (const { metric, figures } of metrics) {
      const count = figures.filter((figure) => figure !== null).length;
      if (count > 1) counts.set(metric, (counts.get(metric) ?? 0) + count);
    }
  // A rate of the whole system is the most useful single metric.
  const weight = ({ name, family }: Metric) => (counts.get(name) ?? 0) + (family.direction === 'higher' ? 0.5 : 0);
  const isLast = (metric: Metric) => Number(isUnlike && isTotal(metric));
  const isFirst = ({ name }: Metric) => Number(isUnlike && name === 'output_tok_s_per_gpu');
  return headlineMetrics
    .filter(({ name, family }) => counts.has(name) && family.unit !== '')
    .toSorted((a, b) => isFirst(b) - isFirst(a) || isLast(a) - isLast(b) || weight(b) - weight(a));
}

const figuresOf = (point: Points[number], metric: Metric): readonly (Figure | null)[] =>
  point.metrics.find((found) => found.metric === metric.name)?.figures ?? [];

/** Per-user rates, each derived from the others, so no two of them make a chart. */
const paces: ReadonlySet<string> = new Set(['user_tok_s', 'itl_ms', 'tpot_ms']);
/** The same rate for all GPUs and for one. */
const rates: ReadonlySet<string> = new Set(['output_tok_s', 'output_tok_s_per_gpu']);
const horizontal = [
  'user_tok_s',
  'output_tok_s_per_gpu',
  'ttft_ms_mean',
  'e2e_ms_mean',
  'output_tok_s',
  'prefill_tok_s',
];

/** The x axis: the first metric in the list that the workload has and that is not derived from the other axis. */
function alongOf(points: Points, { name, family }: Metric): AxisChoice | null {
  const found = horizontal.find((other) => {
    const base = metricOf(other)?.family.base ?? other;
    if (base === family.base || [paces, rates].some((same) => same.has(base) && same.has(family.base))) return false;
    return (
      points.filter(({ metrics }) => [other, name].every((each) => metrics.some((found) => found.metric === each)))
        .length >= levelsMin
    );
  });
  return found === undefined ? null : axisOf(found);
}

/** The explorer of a metric over the loads of all systems, for each workload with several loads. */
export async function workloadCharts(
  api: Api,
  metric: Metric,
  comparison: Comparison,
  filters: readonly Parameter[],
): Promise<ExplorerView[]> {
  const y = axisOf(metric.name);
  const workloads = [...Map.groupBy(comparison.points, ({ workload }) => workload.id)].slice(0, chartsMax);
  const charts = workloads.map(async ([workload, list]): Promise<ExplorerView[]> => {
    const x = alongOf(list, metric);
    if (x === null || y === null) return [];
    const state: ExplorerState = {
      ...readState(new URLSearchParams()),
      ...{ x: x.name, y: y.name, curves: 'systems', by: 'system' },
      filters: [
        ...filters.filter(([name]) => !ownFilters.has(name)),
        ['workload', workload],
        ...comparison.systems.map(({ id }): Parameter => ['system', id]),
      ],
    };
    const { view } = await readExplorer(api, state, { comparison });
    return view?.drawing?.curves.some(({ points }) => points.length >= levelsMin) ? [view] : [];
  });
  return (await Promise.all(charts)).flat();
}

/** Price of an hour of each system, USD, from its cost per output token; null if no price is known. */
export async function hourlyCosts(api: Api, points: Points, ids: readonly string[]): Promise<(number | null)[]> {
  if (!points.some(({ metrics }) => metrics.some(({ metric }) => metric === 'output_tok_s'))) return [];
  const { data } = await api.getPareto({ x: ['output_tok_s'], y: ['usd_per_mtok_output'], system: [...ids] });
  return ids.map((id) => {
    const point = data?.data.find(({ system }) => system.id === id);
    return point === undefined ? null : (point.x * point.y * 3600) / 1e6;
  });
}

/**
 * Each system's ratio to the first at each point; null if no ratio is known.
 *
 * @param isUnlike whether the GPU counts of the systems differ, so that ratios of totals are per GPU
 */
export function ratiosChart(
  metric: Metric,
  points: Points,
  systems: readonly ComparedSystem[],
  isUnlike = false,
): RatioChart | null {
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
  const title = isUnlike && isTotal(metric) ? `${metric.title} per GPU` : metric.title;
  return ratioChart(
    `${title}: ratio to ${baseline?.letter ?? 'the first'}`,
    `${title} relative to ${baseline?.letter ?? 'the first'}, ${way}`,
    rows,
  );
}
