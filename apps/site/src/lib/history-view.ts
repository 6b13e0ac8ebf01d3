import { formatLoad } from '@inferboard/core/load';
import type { Metric } from '@inferboard/core/metrics/index';
import { spreadAxis } from '../charts/axis.ts';
import { placeAxis, timeAxis } from '../charts/history-axis.ts';
import { type ChartSeries, type ChartValue, type LineChart, lineChart } from '../charts/line-chart.ts';
import type { History, HistoryValue } from './api.ts';
import { formatTime, formatWithUnit } from './format.ts';
import type { HistoryStep } from './history-query.ts';
import { type Judged, judge, valueHref, valueName, whenText } from './history-verdict.ts';
import { definitionText } from './metric-text.ts';
import { basisText, quantityOf } from './report-figures.ts';
import { scenarioTitle } from './system-view.ts';
import { scenarioText, trustWords } from './words.ts';

export type Series = History['data'][number];
export type Versions = History['versions'];

/** One line of a chart: a configuration and its values at one scenario and load. */
export interface HistoryLine {
  /** "vLLM", or the configuration where several stand in one chart. */
  name: string;
  values: readonly HistoryValue[];
  /** The single results behind them; empty where they were not asked for. */
  runs: readonly HistoryValue[];
  truncated: boolean;
}

/** One scenario and load, by one formula. */
export interface HistoryPlace {
  series: Pick<Series, 'kind' | 'scenario' | 'load' | 'definition'>;
  lines: HistoryLine[];
}

export interface RunRow {
  value: string;
  systemId: string;
  href: string;
  line: string;
  version: string;
  n: string;
  when: string;
  trust: string;
}

export interface HistoryBlock {
  id: string;
  title: string;
  detail: string;
  /** Null where a single value has no line to stand on. */
  chart: LineChart;
  verdicts: { line: string; judged: Judged }[];
  runs: RunRow[];
  /** Results that are not listed. */
  moreRuns: number;
  truncated: boolean;
  /** The systems of its values, by the addresses that the values link to. */
  systemOf: ReadonlyMap<string, string>;
}

/** Same scenario, load and formula. */
export const placeKey = ({ kind, scenario, load, definition }: HistoryPlace['series']): string =>
  JSON.stringify([kind, Object.values(scenario), Object.values(load), definition]);

/** Results listed below a chart, the newest. */
const runsShown = 20;

/** "decode-bound, 64 concurrent" in the words of the catalogue. */
const titleOf = ({ scenario, load }: HistoryPlace['series']): string =>
  `${scenarioTitle(scenario)}, ${formatLoad(load)}`;

function detailOf({ scenario, definition }: HistoryPlace['series'], metric: Metric): string {
  const formula = definition === null ? null : definitionText({ [metric.family.base]: definition }, metric);
  return [scenarioText(scenario).detail, formula].filter((part) => part !== null).join(' · ');
}

const timeOf = ({ at }: HistoryValue): number => Date.parse(at);

/** Levels that no two values of a line share: what happened at one instant is moved apart by a millisecond. */
function levelsApart(values: readonly HistoryValue[]): number[] {
  const taken = new Set<number>();
  return values.map((value) => {
    let level = timeOf(value);
    while (taken.has(level)) level += 1;
    taken.add(level);
    return level;
  });
}

const runsOf = (line: HistoryLine, value: HistoryValue): number[] =>
  line.runs
    .filter((run) => run.system_id === value.system_id && (value.month === null || run.at.startsWith(value.month)))
    .map(({ mean }) => mean);

function toValue(line: HistoryLine, value: HistoryValue, level: number): ChartValue {
  const runs = runsOf(line, value);
  return {
    level,
    value: value.mean,
    interval: value.ci95,
    basis: `${basisText(value.n)}, ${whenText(value)}`,
    // One result is the value itself.
    runs: runs.length > 1 ? runs : [],
    href: valueHref(value),
  };
}

/** Single results: what was stored or measured at one instant makes one value, its results the dots. */
function instantsOf(name: string, values: readonly HistoryValue[]): ChartSeries {
  const groups = [...Map.groupBy(values, timeOf)];
  return {
    name,
    values: groups.map(([level, of]) => {
      const means = of.map(({ mean }) => mean);
      const [first] = of as [HistoryValue];
      return {
        level,
        value: means.reduce((sum, mean) => sum + mean, 0) / means.length,
        interval: of.length === 1 ? first.ci95 : null,
        basis: `${of.length === 1 ? basisText(first.n) : `mean of ${of.length} results`}, ${whenText(first)}`,
        runs: of.length > 1 ? means : [],
        href: of.length === 1 ? valueHref(first) : `/systems/${first.system_id}`,
      };
    }),
  };
}

interface Drawing {
  metric: Metric;
  by: HistoryStep;
  versions: Versions;
  /** "vLLM": what has the versions. */
  engine: string;
}

/** One line a version of the engine, so that none is drawn from one version's months to another's. */
function seriesByVersion(line: HistoryLine, by: HistoryStep, engine: string): ChartSeries[] {
  const versions = [...Map.groupBy(line.values, ({ engine_version: version }) => version)];
  return versions.map(([version, values]) => {
    const name = `${engine} ${version ?? '(no stated version)'}`;
    if (by === 'result') return instantsOf(name, values);
    const levels = levelsApart(values);
    return { name, values: values.map((value, at) => toValue(line, value, levels[at] ?? 0)) };
  });
}

function toChart({ lines, series }: HistoryPlace, { metric, by, versions, engine }: Drawing): LineChart {
  const all = lines.flatMap(({ values, runs }) => [...values, ...runs].map(({ mean }) => mean));
  const y = { ...quantityOf(metric.name, all), title: metric.title, axis: spreadAxis };
  const title = `${metric.title}, ${titleOf(series)}`;
  const time = {
    title: 'Time',
    head: 'When',
    axis: timeAxis,
    text: (level: number) => formatTime(new Date(level).toISOString()),
  };
  const [only] = lines;
  if (lines.length > 1 || only === undefined) {
    const drawn = lines.map((line): ChartSeries => {
      const levels = levelsApart(line.values);
      return {
        name: line.name,
        values: line.values.map((value, at) => ({ ...toValue(line, value, levels[at] ?? 0), of: valueName(value) })),
      };
    });
    return lineChart({ title, x: time, y, series: drawn, areRunsBeside: true });
  }
  if (by !== 'version') return lineChart({ title, x: time, y, series: seriesByVersion(only, by, engine) });
  const placeOf = new Map(versions.map(({ system_id: id }, at) => [id, at + 1]));
  const nameOf = (place: number) => versions[place - 1]?.engine_version ?? 'no stated version';
  const values = only.values.map((value) => toValue(only, value, placeOf.get(value.system_id) ?? 0));
  const x = { title: `Version of ${engine}`, head: 'Version', axis: placeAxis, text: nameOf };
  return lineChart({ title, x, y, series: [{ name: engine, values }], areRunsBeside: true });
}

function toRunRows({ lines }: HistoryPlace, { unit }: Metric['family']): RunRow[] {
  const rows = lines.flatMap(({ name, runs }) => runs.map((run) => ({ name, run })));
  return rows
    .toSorted((a, b) => timeOf(b.run) - timeOf(a.run))
    .map(({ name, run }) => ({
      value: formatWithUnit(run.mean, unit),
      systemId: run.system_id,
      href: valueHref(run),
      line: name,
      version: run.engine_version ?? 'not stated',
      n: basisText(run.n),
      when: whenText(run),
      trust: trustWords[run.trust].label,
    }));
}

/** A place as a page shows it: its chart, its verdicts, its single results. `baseline` as in the address. */
export function toBlock(place: HistoryPlace, index: number, baseline: string, drawing: Drawing): HistoryBlock {
  const { metric, by } = drawing;
  const rows = toRunRows(place, metric.family);
  return {
    id: `place-${index + 1}`,
    title: titleOf(place.series),
    detail: detailOf(place.series, metric),
    chart: toChart(place, drawing),
    // A single result has no scatter to judge by.
    verdicts:
      by === 'result'
        ? []
        : place.lines.flatMap(({ name, values }) => {
            const judged = judge(metric, values, baseline);
            return judged === null ? [] : [{ line: name, judged }];
          }),
    runs: rows.slice(0, runsShown),
    moreRuns: Math.max(0, rows.length - runsShown),
    systemOf: new Map(
      place.lines.flatMap(({ values, runs: single }) =>
        [...values, ...single].map((value) => [valueHref(value), value.system_id] as const),
      ),
    ),
    truncated: place.lines.some(({ truncated }) => truncated),
  };
}
