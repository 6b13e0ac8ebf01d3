import { formatLoad, type LoadMode } from '@inferboard/core/subjects/load';
import {
  type ChartLine,
  type ChartSeries,
  type ChartValue,
  type LineChart,
  lineChart,
} from '../../../charts/line-chart.ts';
import {
  basisText,
  figuresOf,
  makingWords,
  quantityOf,
  type Report,
  type ReportFigure,
  type ReportRange,
  type ReportSeries,
  scenarioKey,
  sourceOf,
} from './report-figures.ts';

/** The single repetitions of a value. */
export type RunsOf = (figure: ReportFigure) => readonly number[];
/** Palette index of a scenario, the same in all charts of a page. */
export type PlaceOf = (scenario: ReportFigure['scenario']) => number;

/** Properties that all charts of a page share. */
export interface ChartSetting {
  runsOf: RunsOf;
  placeOf: PlaceOf;
}

/** Unit of the load axis. */
export const levelTitles: Record<LoadMode, string> = {
  concurrency: 'Requests in flight',
  burst: 'Requests sent at once',
  rate: 'Requests per second',
  batch: 'Sequences in the batch',
};

/** A threshold of the report as a line, in the metric's unit; null without such a limit. */
export function thresholdLine({ thresholds }: Report, id: string, unit: string): ChartLine | null {
  const found = thresholds.find((threshold) => threshold.id === id);
  if (found === undefined) return null;
  const factor = found.unit === 's' && unit === 'ms' ? 1000 : 1;
  return { value: found.value * factor, text: found.text };
}

function toValue(figure: ReportFigure, runsOf: RunsOf): ChartValue | null {
  const { load, value, ci95, n } = figure;
  if (load.level === null || load.level <= 0) return null;
  const runs = runsOf(figure);
  return {
    level: load.level,
    value,
    interval: ci95,
    basis: [basisText(n), makingWords(figure)].filter((part) => part !== null).join(', '),
    // A single repetition equals the value.
    runs: runs.length > 1 ? runs : [],
    href: sourceOf(figure),
  };
}

const valuesOf = (figures: readonly ReportFigure[], runsOf: RunsOf): ChartValue[] =>
  figures.flatMap((figure) => toValue(figure, runsOf) ?? []);

export interface SeriesChart {
  title: string;
  mode: LoadMode;
  series: readonly ReportSeries[];
  lines?: readonly (ChartLine | null)[];
  bounds?: readonly ReportSeries[];
}

/** One metric over the load, one line for each scenario; null without measurements. */
export function seriesChart(
  { title, mode, series, lines = [], bounds = [] }: SeriesChart,
  { runsOf, placeOf }: ChartSetting,
): LineChart | null {
  const measured = series.flatMap((each): ChartSeries[] => {
    const values = valuesOf(figuresOf(each), runsOf);
    return values.length === 0 ? [] : [{ name: each.scenario.title, mark: placeOf(each.scenario), values }];
  });
  const [first] = series;
  if (measured.length === 0 || first === undefined) return null;
  const limits = bounds.map(
    (each): ChartSeries => ({
      name: `${each.scenario.title}, at most`,
      kind: 'bound',
      mark: placeOf(each.scenario),
      values: valuesOf(figuresOf(each), () => []).map((value) => ({ ...value, basis: 'computed' })),
    }),
  );
  const all = [...measured, ...limits];
  const y = quantityOf(
    first.metric,
    all.flatMap(({ values }) => values.map(({ value }) => value)),
  );
  return lineChart({
    title,
    x: { title: levelTitles[mode], text: (level) => formatLoad({ mode, level }) },
    y,
    series: all,
    lines: lines.filter((line) => line !== null),
    boundWords: 'Roofline: hardware limit',
  });
}

/** Best and worst scenario at each load, and the range between; null if fewer than two scenarios share loads. */
export function rangeChart(
  { title, mode, metric, lines = [] }: Omit<SeriesChart, 'series' | 'bounds'> & { metric: string },
  ranges: readonly ReportRange[],
  { runsOf }: ChartSetting,
): LineChart | null {
  const here = ranges.filter((range) => range.metric === metric && range.load.mode === mode);
  if (!here.some(({ scenarios }) => scenarios > 1)) return null;
  const side = (name: string, end: 'low' | 'high'): ChartSeries => ({
    name,
    // Different from the colours of single scenarios.
    mark: end === 'high' ? 5 : 4,
    values: here.flatMap((range) => {
      const figure = range[end];
      const value = figure === null ? null : toValue(figure, runsOf);
      return value === null || figure === null ? [] : [{ ...value, runs: [], of: figure.scenario.title }];
    }),
  });
  const series = [side('Highest', 'high'), side('Lowest', 'low')];
  const y = quantityOf(
    metric,
    series.flatMap(({ values }) => values.map(({ value }) => value)),
  );
  return lineChart({
    title,
    x: { title: levelTitles[mode], text: (level) => formatLoad({ mode, level }) },
    y,
    series,
    lines: lines.filter((line) => line !== null),
    isBand: true,
  });
}

/** Scenarios of the report's series, without duplicates. */
export function scenariosOf({ peak, burst, batch }: Report): ReportFigure['scenario'][] {
  const series = [
    ...(peak === null ? [] : [...peak.user_tok_s, ...peak.ttft_ms, ...peak.itl_ms]),
    ...(burst === null ? [] : [...burst.ttft_ms, ...burst.user_tok_s, ...burst.itl_ms]),
    ...(batch === null ? [] : [...batch.decode_tok_s, ...batch.output_tok_s, ...batch.prefill_tok_s]),
  ];
  const scenarios = [...new Map(series.map(({ scenario }) => [scenarioKey(scenario), scenario])).values()];
  // Short prompts first, as everywhere in a report.
  return scenarios.toSorted(
    (a, b) => (a.input_tokens ?? Number.POSITIVE_INFINITY) - (b.input_tokens ?? Number.POSITIVE_INFINITY) || 0,
  );
}
