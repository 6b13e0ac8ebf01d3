import type { Metric } from '@inferboard/core/metrics/index';
import { formatLoad } from '@inferboard/core/subjects/load';
import { spreadAxis } from '../../../charts/axis.ts';
import { placeAxis, timeAxis } from '../../../charts/history-axis.ts';
import { type ChartSeries, type ChartValue, type LineChart, lineChart } from '../../../charts/line-chart.ts';
import type { History, HistoryValue } from '../../../lib/api.ts';
import { columnUnit, formatTime, formatValue, withUnit } from '../../../lib/format.ts';
import { definitionText } from '../../../lib/metric-text.ts';
import { scenarioText, trustWords } from '../../../lib/words.ts';
import { basisText, quantityOf } from '../../report/data/report-figures.ts';
import { scenarioTitle } from '../../system/data/system-view.ts';
import type { HistoryStep } from './history-query.ts';
import { type Judged, judge, valueHref, valueName, whenText } from './history-verdict.ts';

export type Series = History['data'][number];
export type Versions = History['versions'];

/** One line of a chart: the values of a configuration at one scenario and load. */
export interface HistoryLine {
  /** "vLLM", or the configuration if a chart has several. */
  name: string;
  values: readonly HistoryValue[];
  /** The single results of the values; empty if they were not read. */
  runs: readonly HistoryValue[];
  truncated: boolean;
}

/** One scenario and load with one definition. */
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
  chart: LineChart;
  verdicts: { line: string; judged: Judged }[];
  runs: RunRow[];
  /** Number of results that are not listed. */
  moreRuns: number;
  truncated: boolean;
  /** The systems of its values, by URL. */
  systemOf: ReadonlyMap<string, string>;
}

/** Same scenario, load and definition. */
export const placeKey = ({ kind, scenario, load, definition }: HistoryPlace['series']): string =>
  JSON.stringify([kind, Object.values(scenario), Object.values(load), definition]);

/** Maximum number of results below a chart, the newest first. */
const runsShown = 20;

/** "decode-bound, 64 concurrent", with the catalogue's title. */
const titleOf = ({ scenario, load }: HistoryPlace['series']): string =>
  `${scenarioTitle(scenario)}, ${formatLoad(load)}`;

function detailOf({ scenario, definition }: HistoryPlace['series'], metric: Metric): string {
  const formula = definition === null ? null : definitionText({ [metric.family.base]: definition }, metric);
  return [scenarioText(scenario).detail, formula].filter((part) => part !== null).join(' · ');
}

const timeOf = ({ at }: HistoryValue): number => Date.parse(at);

/** Distinct x values for the values of a line: simultaneous values are one millisecond apart. */
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
    // A single result equals the value.
    runs: runs.length > 1 ? runs : [],
    href: valueHref(value),
  };
}

/** Single results: those stored or measured at the same instant form one value, with its results as dots. */
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
  /** "vLLM": the software of the versions. */
  engine: string;
}

/** One line for each engine version, so that no line connects the months of different versions. */
function seriesByVersion(line: HistoryLine, by: HistoryStep, engine: string): ChartSeries[] {
  const versions = [...Map.groupBy(line.values, ({ engine_version: version }) => version)];
  return versions.map(([version, values]) => {
    const name = `${engine} ${version ?? '(no stated version)'}`;
    if (by === 'result') return instantsOf(name, values);
    const levels = levelsApart(values);
    return { name, values: values.map((value, at) => toValue(line, value, levels[at] ?? 0)) };
  });
}

/** A result without a version has the date of its run instead: "as of 2026-04-17". */
const dated = /^as of (?=\d{4}-\d{2}-\d{2}$)/u;

/** The title and the labels of an axis of versions. Dates alone are not called versions. */
export function versionAxis(
  engine: string,
  versions: readonly (string | null)[],
): { title: string; head: string; text(version: string | null): string } {
  if (versions.length > 0 && versions.every((version) => version !== null && dated.test(version)))
    return {
      title: `Date of the run, ${engine} version not stated`,
      head: 'Date of the run',
      text: (version) => version?.replace(dated, '') ?? 'not stated',
    };
  const hasDates = versions.some((version) => version !== null && dated.test(version));
  return {
    title: `Version of ${engine}${hasDates ? ', or date of the run' : ''}`,
    head: 'Version',
    text: (version) => version ?? 'no stated version',
  };
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
  // Lines of several configurations have no versions in common.
  if (lines.length > 1 || only === undefined || (by === 'version' && versions.length === 0)) {
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
  const values = only.values.map((value) => toValue(only, value, placeOf.get(value.system_id) ?? 0));
  const named = versionAxis(
    engine,
    only.values.map(({ engine_version: version }) => version),
  );
  const nameOf = (place: number) => named.text(versions[place - 1]?.engine_version ?? null);
  const x = { title: named.title, head: named.head, axis: placeAxis, text: nameOf };
  return lineChart({ title, x, y, series: [{ name: engine, values }], areRunsBeside: true });
}

function toRunRows({ lines }: HistoryPlace, { unit }: Metric['family']): RunRow[] {
  const rows = lines.flatMap(({ name, runs }) => runs.map((run) => ({ name, run })));
  return rows
    .toSorted((a, b) => timeOf(b.run) - timeOf(a.run))
    .map(({ name, run }) => ({
      value: withUnit(formatValue(run.mean, columnUnit(unit)) ?? '', unit),
      systemId: run.system_id,
      href: valueHref(run),
      line: name,
      version: run.engine_version ?? 'not stated',
      n: basisText(run.n),
      when: whenText(run),
      trust: trustWords[run.trust].label,
    }));
}

/** A scenario and load on the page: chart, verdicts and single results. `baseline` is from the URL. */
export function toBlock(place: HistoryPlace, index: number, baseline: string, drawing: Drawing): HistoryBlock {
  const { metric, by } = drawing;
  const rows = toRunRows(place, metric.family);
  return {
    id: `place-${index + 1}`,
    title: titleOf(place.series),
    detail: detailOf(place.series, metric),
    chart: toChart(place, drawing),
    // A single result has no scatter, so it has no verdict.
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
