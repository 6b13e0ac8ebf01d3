import type { Metric } from '@inferboard/core/metrics/index';
import { burstLevelMax } from '@inferboard/core/report/burst';
import { peakLevelMax } from '@inferboard/core/report/peak';
import { formatLoad, type LoadMode, loadModes } from '@inferboard/core/subjects/load';
import { type ChartSeries, type LineChart, lineChart } from '../../../charts/line-chart.ts';
import type { Point, SystemDetail } from '../../../lib/api.ts';
import { headlineMetrics } from '../../../lib/metric-text.ts';
import { scenarioText } from '../../../lib/words.ts';
import { localPath } from '../../board/data/board-view.ts';
import { levelTitles } from '../../report/data/report-charts.ts';
import { basisText, quantityOf } from '../../report/data/report-figures.ts';

/** Minimum number of loads for a curve. */
const levelsMin = 2;

/** Maximum load that a section of the report has charts for, by load mode. */
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
 * Charts of loads that no section of the report covers, such as open loops and closed loops with hundreds of users: one for each
 * headline metric that a scenario has at two or more loads.
 */
export function toOtherCharts({ points, gpu_count }: SystemDetail): { mode: LoadMode; charts: LineChart[] }[] {
  return loadModes
    .map((mode) => {
      const ofMode = points.filter(({ load, status }) => load.mode === mode && status === 'accepted');
      const isBeyond = ofMode.some(({ load }) => (load.level ?? 0) > (shownUpTo[mode] ?? 0));
      const charts = headlineMetrics.flatMap((metric) => {
        // Skips counts, and values per GPU on one GPU, which equal the totals.
        const isPlain = metric.family.unit === '' || (gpu_count === 1 && metric.name === 'output_tok_s_per_gpu');
        return isPlain || !isBeyond ? [] : toChart(metric, mode, ofMode);
      });
      return { mode, charts };
    })
    .filter(({ charts }) => charts.length > 0);
}
