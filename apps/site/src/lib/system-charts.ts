import { formatLoad, type LoadMode, loadModes } from '@inferboard/core/load';
import type { Metric } from '@inferboard/core/metrics/index';
import { burstLevelMax } from '@inferboard/core/report/burst';
import { peakLevelMax } from '@inferboard/core/report/peak';
import { type ChartSeries, type LineChart, lineChart } from '../charts/line-chart.ts';
import type { Point, SystemDetail } from './api.ts';
import { localPath } from './board-view.ts';
import { headlineMetrics } from './metric-text.ts';
import { levelTitles } from './report-charts.ts';
import { basisText, quantityOf } from './report-figures.ts';
import { scenarioText } from './words.ts';

/** Fewer loads make no curve. */
const levelsMin = 2;

/** Loads that a section of the report has charts for. */
const shownUpTo: Partial<Record<LoadMode, number>> = {
  concurrency: peakLevelMax,
  burst: burstLevelMax,
  batch: Number.POSITIVE_INFINITY,
};

function toSeries(points: readonly Point[], metric: Metric): ChartSeries[] {
  const byScenario = Map.groupBy(points, ({ scenario }) => JSON.stringify(Object.values(scenario)));
  return [...byScenario.values()].flatMap((list, index) => {
    const values = list.flatMap(({ load, statistics, links }) => {
      const found = statistics[metric.name];
      if (found === undefined || load.level === null || load.level <= 0) return [];
      const { mean, ci95, n } = found;
      return [{ level: load.level, value: mean, interval: ci95, basis: basisText(n), href: localPath(links.results) }];
    });
    const [first] = list;
    if (first === undefined || values.length < levelsMin) return [];
    return [{ name: scenarioText(first.scenario).title, mark: index, values }];
  });
}

function toChart(metric: Metric, mode: LoadMode, points: readonly Point[]): LineChart[] {
  const series = toSeries(points, metric);
  if (series.length === 0) return [];
  const y = quantityOf(
    metric.name,
    series.flatMap(({ values }) => values.map(({ value }) => value)),
  );
  return [
    lineChart({
      title: metric.title,
      x: { title: levelTitles[mode], text: (level) => formatLoad({ mode, level }) },
      y: { ...y, title: metric.title },
      series,
    }),
  ];
}

/**
 * Charts of loads that no section of the report has, such as open loops and closed ones of hundreds: one for every headline
 * metric that some scenario has at two loads or more.
 */
export function toOtherCharts({ points, gpu_count }: SystemDetail): { mode: LoadMode; charts: LineChart[] }[] {
  return loadModes
    .map((mode) => {
      const ofMode = points.filter(({ load, status }) => load.mode === mode && status === 'accepted');
      const isBeyond = ofMode.some(({ load }) => (load.level ?? 0) > (shownUpTo[mode] ?? 0));
      const charts = headlineMetrics.flatMap((metric) => {
        // A count is no curve to compare, and on one GPU the figure per GPU is the figure itself.
        const isPlain = metric.family.unit === '' || (gpu_count === 1 && metric.name === 'output_tok_s_per_gpu');
        return isPlain || !isBeyond ? [] : toChart(metric, mode, ofMode);
      });
      return { mode, charts };
    })
    .filter(({ charts }) => charts.length > 0);
}
