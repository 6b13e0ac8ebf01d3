import { type LoadMode, loadModes } from '@inferboard/core/load';
import { type LoadSeries, type LoadSeriesChart, loadSeriesChart } from '../charts/load-series.ts';
import type { Point, SystemDetail } from './api.ts';
import { headlineMetrics } from './metric-text.ts';
import { scenarioText } from './words.ts';

/** Fewer loads make no curve. */
const levelsMin = 3;

function toSeries(points: readonly Point[], metric: string): LoadSeries[] {
  const byScenario = Map.groupBy(points, ({ scenario }) => JSON.stringify(Object.values(scenario)));
  return [...byScenario.values()].flatMap((list) => {
    const values = list.flatMap(({ load, statistics }) => {
      const found = statistics[metric];
      if (found === undefined || load.level === null) return [];
      return [{ level: load.level, value: found.mean, sd: found.sd, n: found.n }];
    });
    const [first] = list;
    if (first === undefined || values.length < levelsMin) return [];
    return [{ name: scenarioText(first.scenario).title, values: values.toSorted((a, b) => a.level - b.level) }];
  });
}

/** A chart for every headline metric that some scenario has at three loads or more. */
export function toCharts({ points, gpu_count }: SystemDetail): { mode: LoadMode; charts: LoadSeriesChart[] }[] {
  return loadModes
    .map((mode) => {
      const ofMode = points.filter(({ load, status }) => load.mode === mode && status === 'accepted');
      const charts = headlineMetrics.flatMap((metric) => {
        // A count is no curve to compare, and on one GPU the figure per GPU is the figure itself.
        if (metric.family.unit === '' || (gpu_count === 1 && metric.name === 'output_tok_s_per_gpu')) return [];
        const series = toSeries(ofMode, metric.name);
        return series.length === 0 ? [] : [loadSeriesChart(metric, mode, series)];
      });
      return { mode, charts };
    })
    .filter(({ charts }) => charts.length > 0);
}
