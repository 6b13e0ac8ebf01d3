import { findNamedScenario } from '@inferboard/core/catalogue/scenario-names';
import type { Metric } from '@inferboard/core/metrics/index';
import { formatLoad, loadModesOrUnspecified } from '@inferboard/core/subjects/load';
import type { Point, Result, Scenario, SystemDetail } from '../../../lib/api.ts';
import { chunkSizeText } from '../../../lib/chunk-size.ts';
import { type Figure, toFigure } from '../../../lib/figures.ts';
import { formatValue, type Scatter } from '../../../lib/format.ts';
import { definitionText, presentMetrics } from '../../../lib/metric-text.ts';
import { conflictTexts, scenarioText, trustWords } from '../../../lib/words.ts';
import { boardHref, readBoardQuery } from '../../board/data/board-query.ts';
import { localPath, type Run } from '../../board/data/board-view.ts';
import type { PublishedSource } from './published-source.ts';
import { distinctSources } from './system-sources.ts';

export interface PointColumn {
  load: string;
  status: Point['status'];
  results: string;
  resultsHref: string;
  trust: string;
  /** The publications of its results. */
  sources: PublishedSource[];
  conflicts: string[];
  findings: number;
}

export interface MetricRow {
  metric: Metric;
  /** The definition, if all values share it; null if it is unknown or differs. */
  definition: string | null;
  /** See `chunkSizeText`, if all values share it. */
  chunkSize: string | null;
  cells: (Cell | null)[];
}

export interface Cell {
  figure: Figure;
  /** The single runs, if their scatter matters. */
  runs: Run[];
  definition: string | null;
  /** See `chunkSizeText`. */
  chunkSize: string | null;
}

export interface ScenarioSection {
  anchor: string;
  title: string;
  detail: string | null;
  description: string | null;
  columns: PointColumn[];
  rows: MetricRow[];
  boardHref: string | null;
  /** True if the section has too many loads to be next to another one. */
  isWide: boolean;
}

/** "RAG / QA", or the id of a workload without a name. */
export const scenarioTitle = (scenario: Scenario): string => scenarioText(scenario).title;

const modeOrder: readonly string[] = loadModesOrUnspecified;

const scenarioKey = (scenario: Scenario) => JSON.stringify(Object.values(scenario));

/** Held-back results of a load are a separate point. */
const pointKey = ({ scenario, load, status }: Pick<Point, 'scenario' | 'load' | 'status'>) =>
  JSON.stringify([scenarioKey(scenario), load.mode, load.level, status]);

function byLoad(a: Point, b: Point): number {
  return modeOrder.indexOf(a.load.mode) - modeOrder.indexOf(b.load.mode) || (a.load.level ?? 0) - (b.load.level ?? 0);
}

function toRuns(metric: Metric, figure: Figure, results: readonly Result[], scatter: Scatter): Run[] {
  if (!figure.isUnstable && figure.outliers.length === 0) return [];
  return results.flatMap((result) => {
    const value = formatValue(result.metrics[metric.name] ?? result.derived[metric.name], metric.family.unit, scatter);
    if (value === null) return [];
    const isOutlier = figure.outliers.some((text) => text.startsWith(`${value} `));
    return [{ value, href: `/submissions/${result.submission_id}#${result.id}`, isOutlier }];
  });
}

/** Means by metric; null where a point has none. */
const meansOf = ({ statistics }: Point): Record<string, number | null> =>
  Object.fromEntries(Object.entries(statistics).map(([name, { mean }]) => [name, mean]));

/** The text of all cells if they share it; null if it differs or a cell has none. */
function sharedText(cells: readonly (Cell | null)[], textOf: (cell: Cell) => string | null): string | null {
  const texts = new Set(cells.flatMap((cell) => (cell === null ? [] : [textOf(cell)])));
  const [only = null] = texts.size === 1 ? texts : [];
  return only;
}

function toMetricRow(metric: Metric, points: readonly Point[], resultsOf: ResultsOf): MetricRow {
  const cells = points.map((point): Cell | null => {
    const statistics = point.statistics[metric.name];
    if (statistics === undefined) return null;
    const figure = toFigure(statistics, metric.family);
    return {
      ...{ figure, runs: toRuns(metric, figure, resultsOf(point), statistics) },
      definition: definitionText(point.definitions, metric),
      chunkSize: metric.name === 'itl_ms_mean' ? chunkSizeText(metric, meansOf(point), point.definitions) : null,
    };
  });
  const [definition, chunkSize] = [
    sharedText(cells, (cell) => cell.definition),
    sharedText(cells, (cell) => cell.chunkSize),
  ];
  return {
    ...{ metric, definition, chunkSize },
    cells: cells.map(
      (cell) =>
        cell && {
          ...cell,
          definition: definition === null ? cell.definition : null,
          chunkSize: chunkSize === null ? cell.chunkSize : null,
        },
    ),
  };
}

type ResultsOf = (point: Point) => readonly Result[];

function toColumn(point: Point, results: readonly Result[]): PointColumn {
  return {
    load: formatLoad(point.load),
    status: point.status,
    results: point.result_count === 1 ? '1 result' : `${point.result_count} results`,
    resultsHref: localPath(point.links.results),
    trust: trustWords[point.trust].label,
    sources: distinctSources(results.filter(({ origin }) => origin === 'imported').map(({ source }) => source)),
    conflicts: conflictTexts(point.replication),
    findings: point.findings,
  };
}

/** The comparison metric of a scenario of this system: the first that any point has. */
function boardOf(scenario: Scenario, rows: readonly MetricRow[]): string | null {
  const wanted = ['decode_tok_s', 'prefill_tok_s', 'user_tok_s', 'ttft_ms_mean', 'forward_ms'];
  const metric = wanted.find((name) => rows.some((row) => row.metric.name === name));
  if (metric === undefined) return null;
  return boardHref(readBoardQuery(new URLSearchParams({ rank_by: metric, scenario: scenario.id })));
}

/** From this number of points, tables of all statistics would fill most of the page. */
const pointsMany = 20;

const briefStatistics: ReadonlySet<string | null> = new Set([null, 'mean', 'p99']);

/** Whether a system has so many points that its tables show only the main statistics at first. */
export const isBriefAtFirst = ({ points }: SystemDetail): boolean => points.length > pointsMany;

/**
 * A system's points, one section for each scenario, with loads as columns and metrics as rows. `isBrief` keeps only the mean and
 * p99 of each distribution.
 */
export function toSections(system: SystemDetail, results: readonly Result[], isBrief = false): ScenarioSection[] {
  // Short prompts first, as in the report.
  const ordered = system.points.toSorted((a, b) => (a.scenario.input_tokens ?? 0) - (b.scenario.input_tokens ?? 0));
  const byScenario = Map.groupBy(ordered, (point) => scenarioKey(point.scenario));
  const byPoint = Map.groupBy(results, pointKey);
  return [...byScenario.values()].map((unsorted, index) => {
    const points = unsorted.toSorted(byLoad);
    const scenario = (points[0] as Point).scenario;
    const resultsOf: ResultsOf = (point) => byPoint.get(pointKey(point)) ?? [];
    const present = presentMetrics(points.map((point) => point.statistics));
    const wanted = isBrief ? present.filter(({ statistic }) => briefStatistics.has(statistic)) : present;
    const rows = wanted.map((metric) => toMetricRow(metric, points, resultsOf));
    return {
      anchor: `scenario-${index + 1}`,
      ...scenarioText(scenario),
      title: scenarioTitle(scenario),
      description: findNamedScenario(scenario.id)?.description ?? null,
      columns: points.map((point) => toColumn(point, resultsOf(point))),
      rows,
      boardHref: boardOf(scenario, rows),
      isWide: points.length > 2,
    };
  });
}

/** The configuration as rows of a table, including unspecified facts. */
export function configurationRows(system: SystemDetail): { fact: string; value: string | null; note: string | null }[] {
  const { model, quantization, gpu, engine, parallelism, features } = system;
  const isKernel = model.name === 'n/a';
  const stated = (name: string) => (name === 'unspecified' || name === 'n/a' ? null : name);
  const asWritten = (title: string, name: string) =>
    title === name || stated(name) === null ? null : `written as ${name}`;
  const rows = [
    {
      fact: 'Model',
      value: isKernel ? null : stated(model.name) && model.title,
      note: asWritten(model.title, model.name),
    },
    {
      fact: 'Quantization',
      value: isKernel ? null : stated(quantization.name) && quantization.title,
      note: [asWritten(quantization.title, quantization.name), ...quantization.recipe]
        .filter((part) => part !== null)
        .join(', '),
    },
    { fact: 'GPU', value: stated(gpu.name) && gpu.title, note: asWritten(gpu.title, gpu.name) },
    { fact: 'GPUs', value: system.gpu_count === null ? null : String(system.gpu_count), note: null },
    {
      fact: 'Power limit',
      value: system.gpu_power_limit_w === null ? null : `${system.gpu_power_limit_w} W`,
      note: null,
    },
    { fact: isKernel ? 'Implementation' : 'Engine', value: stated(engine.name) && engine.title, note: null },
    ...Object.entries(parallelism).map(([axis, width]) => ({
      fact: `${axis[0]?.toUpperCase()}${axis.slice(1)} parallel`,
      value: width === null ? null : String(width),
      note: null,
    })),
    ...Object.entries(features).map(([name, value]) => ({
      fact: name.replaceAll('_', ' '),
      value: value === true ? 'on' : value === false ? 'off' : String(value),
      note: null,
    })),
  ];
  const optional = /parallel$|^Power limit$/;
  return rows
    .filter(
      ({ fact, value }) =>
        (value !== null || !optional.test(fact)) && !(isKernel && (fact === 'Model' || fact === 'Quantization')),
    )
    .map((row) => ({ ...row, note: row.note === '' ? null : row.note }));
}
