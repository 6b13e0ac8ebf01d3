import { formatLoad } from '@inferboard/core/load';
import { definitionGroup, type Metric } from '@inferboard/core/metrics/index';
import { paretoFrontier } from '@inferboard/core/series/pareto';
import { type ParetoChart, type ParetoPoint, paretoChart } from '../charts/pareto.ts';
import type { Entry, System } from './api.ts';
import { workloadNames } from './board-choices.ts';
import { boundMetrics, valuesOf } from './board-columns.ts';
import { type BoardQuery, boardHref } from './board-query.ts';
import type { BoardView } from './board-view.ts';
import { formatPlural, formatWithUnit } from './format.ts';
import { metricOf } from './metric-text.ts';
import { publishedSource } from './published-source.ts';
import type { Ranked } from './ranked-metric.ts';
import { engineText, gpuText, hardwareText, quantizationText, scenarioText, systemTitle } from './words.ts';

export interface ParetoView {
  chart: ParetoChart;
  /** Other figures that the ranked one can be set against. */
  switches: { label: string; href: string; isCurrent: boolean }[];
  /** Rows of the table that are not in the chart, and why. */
  leftOut: string | null;
  /** All points under the filters, not only the best of each system, at the API. */
  apiPath: string;
}

/** What people weigh against each other, in the order they ask for it. */
const counterparts: readonly Metric[] = [
  ...['user_tok_s', 'output_tok_s_per_gpu', 'itl_ms_mean', 'ttft_ms_mean', 'decode_tok_s', 'output_tok_s'],
  ...['e2e_ms_mean', 'tok_per_joule', 'backward_ms', 'memory_gb'],
].flatMap((name) => metricOf(name) ?? []);

const leastPoints = 2;

/** Figures that say the same in other words: set against each other they make a line and no choice. */
const sameThing: readonly string[] = ['user_tok_s', 'itl_ms', 'tpot_ms'];
const isSame = (a: Ranked, b: Ranked) => sameThing.includes(a.family.base) && sameThing.includes(b.family.base);

interface Drawn {
  metric: Metric;
  entries: Entry[];
  leftOut: number;
}

/** The rows that can stand in one chart: with the figure, and all of the definition that most of them have. */
function drawable(entries: readonly Entry[], metric: Metric): Drawn {
  const measured = entries.filter((entry) => valuesOf(entry)[metric.name] != null);
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

/** What may tell one row from another, the first asked for first. */
const parts: readonly ((system: System) => string | null)[] = [
  systemTitle,
  quantizationText,
  (system) => gpuText({ ...system, gpu_power_limit_w: null }),
  ({ gpu_power_limit_w }) => (gpu_power_limit_w === null ? null : `${gpu_power_limit_w} W`),
  engineText,
];

/** What tells the rows apart, and no more: the quantization alone where all are of one model. */
function namer(entries: readonly Entry[]): (entry: Entry) => string {
  const countOf = (used: typeof parts) =>
    new Set(entries.map(({ system }) => used.map((part) => part(system)).join('\n'))).size;
  let used: typeof parts = [];
  for (const part of parts) if (countOf([...used, part]) > countOf(used)) used = [...used, part];
  if (used.length === 0) used = parts.slice(0, 2);
  return ({ system }) => used.flatMap((part) => part(system) ?? []).join(' ') || systemTitle(system);
}

function toPoint(entry: Entry, name: string, x: Metric, y: Ranked): ParetoPoint {
  const value = valuesOf(entry)[x.name] ?? 0;
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
    { of: (entry: Entry) => valuesOf(entry)[metric.name] ?? 0, better: sideOf(metric).better },
    { of: (entry: Entry) => entry.value, better: sideOf(ranked).better },
  ] as const;
  const places = paretoFrontier(entries, axes).map((entry) => axes.map(({ of }) => of(entry)).join());
  return new Set(places).size;
}

/**
 * The rows of a board as a chart of the ranked figure against another: what the URL says, else what the question bounds,
 * else what most rows have. Null where no other figure has two rows.
 */
export function toParetoView(view: BoardView, query: BoardQuery, resolved: BoardQuery): ParetoView | null {
  const { metric: ranked, entries } = view;
  if (ranked.family.direction === 'neutral') return null;
  const bound = boundMetrics(resolved);
  const wanted = metricOf(query.x ?? '');
  const candidates = [...new Set([...(wanted === null ? [] : [wanted]), ...bound, ...counterparts])]
    .filter((metric) => metric.name !== ranked.name && metric.family.direction !== 'neutral')
    .filter((metric) => metric === wanted || bound.includes(metric) || !isSame(metric, ranked))
    .map((metric) => drawable(entries, metric))
    .filter((drawn) => drawn.entries.length >= leastPoints);
  // A choice is worth showing where there is one: several rows that no other beats. Figures that are computed from each
  // other make a line, with one end that beats all.
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
  if (chosen === undefined) return null;
  const { metric, leftOut } = chosen;
  const nameOf = namer(chosen.entries);
  const search = new URLSearchParams([
    ['x', metric.name],
    // A frontier has a price for each GPU; with one for all the rate has the same order.
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
        : `${formatPlural(leftOut, 'row')} of the table ${leftOut === 1 ? 'is' : 'are'} not drawn: without ${metric.title}, or with one made by another formula.`,
    apiPath: `/v1/pareto?${search}`,
  };
}
