import { definitionGroup, type Metric } from '@inferboard/core/metrics/index';
import { paretoFrontier } from '@inferboard/core/series/pareto';
import { formatLoad } from '@inferboard/core/subjects/load';
import { type ParetoChart, type ParetoPoint, paretoChart } from '../../../charts/pareto.ts';
import type { Entry, System } from '../../../lib/api.ts';
import { formatPlural, formatWithUnit } from '../../../lib/format.ts';
import { metricOf } from '../../../lib/metric-text.ts';
import { engineText, gpuText, hardwareText, quantizationText, scenarioText, systemTitle } from '../../../lib/words.ts';
import { workloadNames } from '../../board/data/board-choices.ts';
import { boundMetrics, comparedValues } from '../../board/data/board-columns.ts';
import { type BoardQuery, boardHref } from '../../board/data/board-query.ts';
import type { BoardView } from '../../board/data/board-view.ts';
import type { Ranked } from '../../board/data/ranked-metric.ts';
import { publishedSource } from '../../system/data/published-source.ts';

export interface ParetoView {
  chart: ParetoChart;
  /** Other metrics for the second axis. */
  switches: { label: string; href: string; isCurrent: boolean }[];
  /** Rows of the table that are not in the chart, and why. */
  leftOut: string | null;
  /** API URL of all points under the filters, not only the best of each system. */
  apiPath: string;
}

/** Common trade-offs, the most common first. */
const counterparts: readonly Metric[] = [
  ...['user_tok_s', 'output_tok_s_per_gpu', 'itl_ms_mean', 'ttft_ms_mean', 'decode_tok_s', 'output_tok_s'],
  ...['e2e_ms_mean', 'tok_per_joule', 'backward_ms', 'memory_gb'],
].flatMap((name) => metricOf(name) ?? []);

const leastPoints = 2;

/** Equivalent metrics: a chart of two of them is a line without a trade-off. */
const sameThing: readonly (readonly string[])[] = [
  ['user_tok_s', 'itl_ms', 'tpot_ms'],
  ['output_tok_s', 'output_tok_s_per_gpu'],
];
const isSame = (a: Ranked, b: Ranked) =>
  sameThing.some((same) => same.includes(a.family.base) && same.includes(b.family.base));

interface Drawn {
  metric: Metric;
  entries: Entry[];
  leftOut: number;
}

/** The rows of the chart: those with the metric and the definition that most of them share. */
function drawable(entries: readonly Entry[], metric: Metric): Drawn {
  const measured = entries.filter((entry) => comparedValues(entry)[metric.name] != null);
  const groupOf = ({ definitions }: Entry) =>
    definitionGroup(metric.family, definitions[metric.name] ?? definitions[metric.family.base]);
  const groups = [...Map.groupBy(measured, groupOf).values()];
  const [largest = []] = groups.toSorted((a, b) => b.length - a.length);
  return { metric, entries: largest, leftOut: entries.length - largest.length };
}

const sideOf = ({ title, family }: Ranked) => ({
  title,
  unit: family.unit,
  better: family.direction === 'lower' ? ('lower' as const) : ('higher' as const),
});

/** Facts that can distinguish rows, in order of preference. */
const parts: readonly ((system: System) => string | null)[] = [
  systemTitle,
  quantizationText,
  (system) => gpuText({ ...system, gpu_power_limit_w: null }),
  ({ gpu_power_limit_w }) => (gpu_power_limit_w === null ? null : `${gpu_power_limit_w} W`),
  engineText,
];

/** The shortest label that distinguishes the rows: only the quantization if all have the same model. */
function namer(entries: readonly Entry[]): (entry: Entry) => string {
  const countOf = (used: typeof parts) =>
    new Set(entries.map(({ system }) => used.map((part) => part(system)).join('\n'))).size;
  let used: typeof parts = [];
  for (const part of parts) if (countOf([...used, part]) > countOf(used)) used = [...used, part];
  if (used.length === 0) used = parts.slice(0, 2);
  return ({ system }) => used.flatMap((part) => part(system) ?? []).join(' ') || systemTitle(system);
}

function toPoint(entry: Entry, name: string, x: Metric, y: Ranked): ParetoPoint {
  const value = comparedValues(entry)[x.name] ?? 0;
  const { n } = entry.statistics;
  return {
    name,
    detail: `${hardwareText(entry.system)}, ${scenarioText(entry.scenario).title}, ${formatLoad(entry.load)}`,
    x: value,
    y: entry.statistics.mean,
    xText: formatWithUnit(value, x.family.unit),
    yText: formatWithUnit(entry.statistics.mean, y.family.unit),
    n: n === null ? 'n not stated' : `n ${n}`,
    href: `/systems/${entry.system.id}`,
    source: publishedSource(entry.source),
  };
}

function frontierSize({ entries, metric }: Drawn, ranked: Ranked): number {
  const axes = [
    { of: (entry: Entry) => comparedValues(entry)[metric.name] ?? 0, better: sideOf(metric).better },
    { of: (entry: Entry) => entry.value, better: sideOf(ranked).better },
  ] as const;
  const places = paretoFrontier(entries, axes).map((entry) => axes.map(({ of }) => of(entry)).join());
  return new Set(places).size;
}

/**
 * The metric that a board's chart shows with the ranked one, and the others: the URL's, else the bounded one, else the one that
 * most rows have. Null if no other metric has two rows.
 */
export function secondAxis(
  { metric: ranked, entries }: Pick<BoardView, 'metric' | 'entries'>,
  query: BoardQuery,
  resolved: BoardQuery,
): { chosen: Drawn; candidates: Drawn[] } | null {
  if (ranked.family.direction === 'neutral') return null;
  const bound = boundMetrics(resolved);
  const wanted = metricOf(query.x ?? '');
  const candidates = [...new Set([...(wanted === null ? [] : [wanted]), ...bound, ...counterparts])]
    .filter((metric) => metric.name !== ranked.name && metric.family.direction !== 'neutral')
    .filter((metric) => metric === wanted || bound.includes(metric) || !isSame(metric, ranked))
    .map((metric) => drawable(entries, metric))
    .filter((drawn) => drawn.entries.length >= leastPoints);
  // A chart is useful only if several rows are on the frontier. Metrics that are computed from each other form a line
  // whose one end beats all other points.
  const choices = new Map(candidates.map((drawn) => [drawn, frontierSize(drawn, ranked)]));
  const hasChoice = (drawn: Drawn) => Number((choices.get(drawn) ?? 0) > 1);
  const byRows = candidates.toSorted(
    (a, b) =>
      hasChoice(b) - hasChoice(a) ||
      b.entries.length - a.entries.length ||
      (choices.get(b) ?? 0) - (choices.get(a) ?? 0),
  );
  const chosen =
    candidates.find(({ metric }) => metric === wanted) ??
    candidates.find(({ metric }) => bound.includes(metric)) ??
    byRows[0];
  return chosen === undefined ? null : { chosen, candidates };
}

/** The rows of a board as a chart of the ranked metric against another. Null if no other metric has two rows. */
export function toParetoView(view: BoardView, query: BoardQuery, resolved: BoardQuery): ParetoView | null {
  const axis = secondAxis(view, query, resolved);
  if (axis === null) return null;
  const { chosen, candidates } = axis;
  const { metric: ranked } = view;
  const { metric, leftOut } = chosen;
  const nameOf = namer(chosen.entries);
  const search = new URLSearchParams([
    ['x', metric.name],
    // A frontier has a price for each GPU. With one price for all GPUs, the rate has the same order.
    ['y', metricOf(ranked.name) === null && resolved.price !== null ? 'output_tok_s_per_gpu' : ranked.name],
    ...resolved.filters.filter(([name]) => !workloadNames.includes(name)).map(([name, value]) => [name, value]),
    ...(view.workload === null ? [] : [['workload', view.workload]]),
  ]);
  return {
    chart: paretoChart(
      sideOf(metric),
      sideOf(ranked),
      chosen.entries.map((entry) => toPoint(entry, nameOf(entry), metric, ranked)),
    ),
    switches: candidates.map((candidate) => ({
      label: candidate.metric.title,
      href: boardHref({ ...query, x: candidate.metric.name }),
      isCurrent: candidate === chosen,
    })),
    leftOut:
      leftOut === 0
        ? null
        : `${formatPlural(leftOut, 'row')} of the table ${leftOut === 1 ? 'is' : 'are'} not drawn: ${metric.title} is missing or has a different formula.`,
    apiPath: `/v1/pareto?${search}`,
  };
}
