import { formatLoad, type LoadMode, loadModes } from '@inferboard/core/load';
import type { Metric } from '@inferboard/core/metrics/index';
import { type OverlayChart, overlayChart } from '../charts/overlay.ts';
import { type RatioChart, ratioChart } from '../charts/overlay-ratios.ts';
import type { Comparison } from './api.ts';
import type { ComparedSystem } from './compare-view.ts';
import { ratioText } from './compare-view.ts';
import { formatFigure } from './format.ts';
import { headlineMetrics } from './metric-text.ts';
import { scenarioText } from './words.ts';

type Points = Comparison['points'];
type Figure = NonNullable<Points[number]['metrics'][number]['figures'][number]>;

/** Fewer loads make no curve. */
const levelsMin = 3;
/** More rows than this are a wall, and stand in the tables. */
const rowsMax = 24;

const levelTitles: Record<LoadMode, string> = {
  concurrency: 'Requests in flight',
  burst: 'Requests sent at once',
  rate: 'Requests per second',
  batch: 'Sequences in the batch',
};

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

function figureText(figure: Figure, unit: string): string {
  const told = formatFigure(figure.value, unit, figure);
  return [told?.number, told?.sd, told?.unit].filter((part) => part != null).join(' ');
}

function overlay(
  metric: Metric,
  mode: LoadMode,
  points: Points,
  systems: readonly ComparedSystem[],
): OverlayChart | null {
  const [first] = points;
  const { unit } = metric.family;
  const series = systems.flatMap(({ letter, title, quantization, href }, at) => {
    const values = points.flatMap((point) => {
      const figure = figuresOf(point, metric)[at];
      if (figure == null || point.load.level === null) return [];
      return [
        {
          x: point.load.level,
          value: figure.value,
          low: figure.ci95?.[0] ?? null,
          high: figure.ci95?.[1] ?? null,
          text: figureText(figure, unit),
          n: figure.n === null ? 'n not stated' : `n ${figure.n}`,
          href,
        },
      ];
    });
    return [{ name: `${letter} ${title}${quantization === null ? '' : ` ${quantization}`}`, points: values }];
  });
  if (first === undefined || series.every((one) => one.points.length < levelsMin)) return null;
  return overlayChart({
    title: `${metric.title} on ${scenarioText(first.scenario).title}`,
    xTitle: levelTitles[mode],
    isLogX: true,
    yTitle: `${metric.title}, ${unit}`,
    unit,
    errorText: '95 % interval, where it was measured more than once',
    series,
  });
}

/** The systems drawn over each other, one chart for each scenario that was asked under several loads. */
export function overlayCharts(metric: Metric, points: Points, systems: readonly ComparedSystem[]): OverlayChart[] {
  const byScenario = Map.groupBy(points, ({ scenario, load }) => JSON.stringify([Object.values(scenario), load.mode]));
  return [...byScenario.values()].flatMap((list) => {
    const mode = loadModes.find((known) => known === list[0]?.load.mode);
    return mode === undefined ? [] : (overlay(metric, mode, list, systems) ?? []);
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
