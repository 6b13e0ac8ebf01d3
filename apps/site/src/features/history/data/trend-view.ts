import { findMetric } from '@inferboard/core/metrics/index';
import { workloadTitle } from '@inferboard/core/workloads/workload-title';
import { spreadAxis } from '../../../charts/axis.ts';
import { timeAxis } from '../../../charts/history-axis.ts';
import { type ChartValue, type LineChart, lineChart } from '../../../charts/line-chart.ts';
import type { Trend } from '../../../lib/api.ts';
import { formatPlural, formatTime } from '../../../lib/format.ts';
import { definitionGroupText, inSentence } from '../../../lib/metric-text.ts';
import { engineText, gpuText, loadText, quantizationText, systemTitle } from '../../../lib/words.ts';
import type { Parameter } from '../../board/data/board-query.ts';
import { basisText, type Quantity, quantityOf } from '../../report/data/report-figures.ts';
import { type PublishedSource, publishedSource } from '../../system/data/published-source.ts';
import { type TrendReading, trendApiPath, trendCsvPath } from './trend-read.ts';

type Series = Trend['data'][number];
type Value = Series['values'][number];

/** The best figures over time, as a chart and in words. */
export interface TrendView {
  title: string;
  /** What the line with the best figure gained since its first. */
  lede: string;
  chart: LineChart;
  notes: string[];
  /** The same in other workloads. */
  others: { label: string; href: string }[];
  csv: string;
  apiPath: string;
  /** The publications behind a value of the chart, by its link. */
  sourcesOf(href: string): readonly PublishedSource[];
}

/** Lines that readers can distinguish by colour. */
const linesMax = 7;
const othersMax = 6;
/** Parts of the time axis that a finger can touch on a phone. */
const binsMax = 10;

const lineWords = { gpu: 'GPU', model: 'model' } as const;
const dayText = (day: string) => formatTime(day).replace(/,.*$/, '');

const hrefOf = ({ links }: Value): string => {
  const { pathname, hash } = new URL(links.page, 'http://here');
  return pathname + hash;
};

/** "fp8, 4x B200, SGLang 0.5.12, 128 concurrent": what was measured, with its load. */
function detailOf({ system, load }: Value): string {
  const parts = [quantizationText(system), gpuText(system), engineText(system), loadText(load)];
  return parts.filter((part) => part !== null).join(', ');
}

function toChartValue(value: Value): ChartValue {
  const best = value.is_best ? 'best so far, ' : '';
  return {
    level: Date.parse(value.day),
    value: value.value,
    interval: value.ci95,
    basis: `${best}${basisText(value.n)}, ${detailOf(value)}`,
    href: hrefOf(value),
  };
}

/** How many times better the best figure of a series is than its first; null for a single best. */
function gainOf({ values }: Series, better: Trend['better']) {
  const bests = values.filter(({ is_best: isBest }) => isBest);
  const [first, last] = [bests[0], bests.at(-1)];
  if (first === undefined || last === undefined || first === last || first.value <= 0 || last.value <= 0) return null;
  return { first, last, times: better === 'higher' ? last.value / first.value : first.value / last.value };
}

/** The best figure of all, and the line that gained most since its first one. */
function ledeOf({ data, better }: Trend, { text }: Quantity): string {
  const [leader] = data;
  const best = leader?.values.findLast(({ is_best: isBest }) => isBest);
  if (leader === undefined || best === undefined) return '';
  const now = `${leader.title} has the best figure: ${text(best.value)} on ${dayText(best.day)} (${detailOf(best)}).`;
  const gains = data.flatMap((series) => {
    const gain = gainOf(series, better);
    return gain === null ? [] : [{ ...gain, title: series.title }];
  });
  const [most] = gains.toSorted((a, b) => b.times - a.times);
  if (most === undefined) return now;
  const { title, first, last, times } = most;
  const who = gains.length === 1 && data.length === 1 ? 'It' : `${title} gained most: it`;
  return `${now} ${who} went from ${text(first.value)} on ${dayText(first.day)} to ${text(last.value)} on ${dayText(last.day)}, ${Number(times.toPrecision(2))} × better.`;
}

function notesOf({ trend, by }: TrendReading): string[] {
  const { data, series, excluded, definition } = trend;
  const metric = findMetric(trend.metric);
  const group = metric === null ? null : definitionGroupText(metric, definition?.id ?? null);
  const undated = excluded.undated ?? 0;
  const left = series - Math.min(data.length, linesMax);
  const stored = data.some(({ values }) => values.some(({ day_is: is }) => is === 'stored'));
  return [
    'A step line is the best figure so far. A mark is the best point of one day. Each system counts with its best load, as on a board.',
    ...(group === null ? [] : [`Formula: ${group}.`]),
    ...(stored ? ['Results without a date of measurement use the day they were stored.'] : []),
    ...(undated === 0
      ? []
      : [`${formatPlural(undated, 'published point')} without a date ${undated === 1 ? 'is' : 'are'} left out.`]),
    ...(left === 0 ? [] : [`${left} more ${lineWords[by]}${left === 1 ? ' is' : 's are'} in the JSON.`]),
  ];
}

/** The model or GPU that all lines have in common, or the filter's words for several variants. */
export function subjectName({ trend, by, asked }: TrendReading): string {
  const systems = trend.data.flatMap(({ values }) => values.map(({ system }) => system));
  const names = new Set(systems.map((system) => (by === 'gpu' ? systemTitle(system) : system.gpu.title)));
  const fact = by === 'gpu' ? 'model' : 'gpu';
  const [only = ''] = names;
  return names.size === 1 ? only : (asked.find(([name]) => name === fact)?.[1] ?? '');
}

/** @param hrefFor the page with another workload */
export function toTrendView(reading: TrendReading, name: string, hrefFor: (workload: string) => string): TrendView {
  const { trend } = reading;
  const drawn = trend.data.slice(0, linesMax);
  const values = drawn.flatMap((series) => series.values);
  const quantity = quantityOf(
    trend.metric,
    values.map(({ value }) => value),
  );
  const metric = findMetric(trend.metric);
  const metricTitle = metric?.title ?? trend.metric;
  const workload = trend.workload === null ? '' : workloadTitle(trend.workload.id);
  const title = `Best ${inSentence(metricTitle)} over time`;
  const sources = new Map(values.map((value) => [hrefOf(value), value.source]));
  return {
    title: `${title}: ${name}, ${workload}`,
    lede: ledeOf(trend, quantity),
    chart: lineChart({
      title: `${title}, ${workload}`,
      x: {
        title: 'Day of measurement',
        head: 'Day',
        axis: timeAxis,
        binsMax,
        text: (level) => dayText(new Date(level).toISOString()),
      },
      y: { ...quantity, title: metricTitle, axis: spreadAxis },
      bestSoFar: trend.better,
      series: drawn.map((series) => ({
        name: series.title,
        values: series.values.map((value) => toChartValue(value)),
      })),
    }),
    notes: notesOf(reading),
    others: (trend.workload?.others ?? [])
      .filter(({ days }) => days >= 3)
      .slice(0, othersMax)
      .map(({ id }) => ({ label: workloadTitle(id), href: hrefFor(id) })),
    csv: trendCsvPath(reading),
    apiPath: trendApiPath(reading),
    sourcesOf: (href) => {
      const source = publishedSource(sources.get(href));
      return source === null ? [] : [source];
    },
  };
}

/** The parameters of a trend with another workload. */
export const withWorkload = (filters: readonly Parameter[], workload: string): Parameter[] => [
  ...filters.filter(([parameter]) => !['workload', 'scenario', 'regime'].includes(parameter)),
  ['workload', workload],
];
