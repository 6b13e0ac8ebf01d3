import { findMetric, type Metric } from '@inferboard/core/metrics/index';
import { formatLoad } from '@inferboard/core/subjects/load';
import { formatOrdinal } from '@inferboard/core/text/ordinal';
import type { Finding, Result, SubmittedResult } from '../../../lib/api.ts';
import { hardwareTexts } from '../../../lib/distinct-systems.ts';
import { columnUnit, formatInterval, formatPlural, formatSd, formatValue } from '../../../lib/format.ts';
import { definitionText, metricHeading, presentMetrics } from '../../../lib/metric-text.ts';
import {
  hardwareText,
  quantizationText,
  scenarioText,
  severityOrder,
  severityWords,
  systemTitle,
  trustWords,
} from '../../../lib/words.ts';
import { type PublishedSource, publishedSource } from '../../system/data/published-source.ts';

export interface ResultRow {
  id: string | null;
  lines: string;
  system: { href: string; title: string; quantization: string | null; hardware: string };
  scenario: string;
  detail: string | null;
  /** The publication; null for a direct submission. */
  source: PublishedSource | null;
  load: string;
  repetition: string | null;
  status: Result['status'];
  /** The hypothetical rank; null for a result that is not provisional. */
  wouldRank: string | null;
  cells: (ResultCell | null)[];
  repeats: string | null;
  findings: { severity: Finding['severity']; text: string }[];
}

export interface ResultCell {
  value: string;
  /** Null if the value states its own. */
  unit: string | null;
  sd: string | null;
  isDerived: boolean;
}

export interface ResultTable {
  kind: Result['kind'];
  metrics: Metric[];
  headings: string[];
  /** Definitions of the values, in words. */
  definitions: { metric: string; text: string }[];
  /** False if all rows belong to the system in the page's title. */
  hasSystems: boolean;
  hasRepeats: boolean;
  hasDerived: boolean;
  hasRepetitions: boolean;
  rows: ResultRow[];
}

const valuesOf = (result: Result): Record<string, number | null> => ({ ...result.metrics, ...result.derived });

/** Metrics that a result states as ranges, by name. */
const noted = ({ ranges }: Result): Record<string, number> =>
  Object.fromEntries(Object.entries(ranges ?? {}).map(([name, [low]]) => [name, low]));

function repeatsText({ repeats }: Result): string | null {
  if (repeats === null) return null;
  const n = repeats.n === null ? 'n not stated' : `n ${repeats.n}`;
  const whose =
    repeats.samples === null ? 'as reported by the tool over its repetitions' : 'from the samples in the tool output';
  return `${Object.keys(repeats.sd).length > 0 ? '± ' : ''}${whose}, ${n}`;
}

function toCell(result: Result, metric: Metric): ResultCell | null {
  const { unit } = metric.family;
  const column = columnUnit(unit);
  const range = result.ranges?.[metric.name];
  // The middle of a range was not measured.
  if (range !== undefined)
    return { value: formatInterval(range[0], column, range) ?? '', unit, sd: null, isDerived: false };
  const number = valuesOf(result)[metric.name];
  const sd = result.repeats?.sd[metric.name] ?? null;
  const value = formatValue(number, column, { sd });
  if (number === null || number === undefined || value === null) return null;
  const isDerived = (result.derived[metric.name] ?? null) !== null;
  return { value, unit, sd: formatSd(number, column, { sd }), isDerived };
}

function findingCounts({ findings }: Result): ResultRow['findings'] {
  return severityOrder.flatMap((severity) => {
    const count = findings.filter((finding) => finding.severity === severity).length;
    if (count === 0) return [];
    const word = severityWords[severity].toLowerCase();
    return [{ severity, text: severity === 'unchecked' ? `${count} ${word}` : formatPlural(count, word) }];
  });
}

/** "would rank 3rd of 12 systems by Output throughput per GPU". */
function wouldRankText({ would_rank: would }: SubmittedResult): string | null {
  if (would === null) return null;
  const metric = findMetric(would.metric)?.title ?? would.metric;
  return `would rank ${formatOrdinal(would.rank)} of ${formatPlural(would.of, 'system')} by ${metric}`;
}

function toRow(result: SubmittedResult, metrics: readonly Metric[], hardware: ReadonlyMap<string, string>): ResultRow {
  const { from, to } = result.lines;
  const { title, detail } = scenarioText(result.scenario);
  return {
    id: result.id,
    lines: from === to ? `line ${from}` : `lines ${from} to ${to}`,
    system: {
      href: `/systems/${result.system.id}`,
      title: systemTitle(result.system),
      quantization: quantizationText(result.system),
      hardware: hardware.get(result.system.id) ?? hardwareText(result.system),
    },
    scenario: title,
    detail,
    source: result.origin === 'imported' ? publishedSource(result.source) : null,
    load: formatLoad(result.load),
    repetition: result.repetition === null ? null : String(result.repetition),
    status: result.status,
    wouldRank: wouldRankText(result),
    cells: metrics.map((metric) => toCell(result, metric)),
    repeats: repeatsText(result),
    findings: findingCounts(result),
  };
}

/** One line for each metric family and definition: percentiles share the definition of their mean. */
function definitionsOf(results: readonly Result[], metrics: readonly Metric[]): ResultTable['definitions'] {
  const texts = new Map<string, Set<string>>();
  for (const metric of metrics) {
    for (const result of results) {
      const text = valuesOf(result)[metric.name] == null ? null : definitionText(result.definitions, metric);
      if (text === null) continue;
      texts.set(metric.family.title, (texts.get(metric.family.title) ?? new Set()).add(text));
    }
  }
  return [...texts].map(([metric, definitions]) => ({ metric, text: [...definitions].join('; or ') }));
}

/** The columns that most readers look for, in order. The others follow in the order of the registry. */
const firstColumns = [
  ...['output_tok_s', 'user_tok_s', 'prefill_tok_s', 'decode_tok_s', 'req_s', 'ttft_ms_mean', 'ttft_ms_p99'],
  ...['tpot_ms_mean', 'itl_ms_mean', 'itl_ms_p99', 'e2e_ms_mean', 'output_tok_s_per_gpu', 'total_tok_s'],
];

function columnPlace({ name }: Metric): number {
  const place = firstColumns.indexOf(name);
  return place < 0 ? firstColumns.length : place;
}

/** Results as tables, one for each kind: kernels and serving results are separate. */
export function toTables(results: readonly SubmittedResult[]): ResultTable[] {
  const hardware = hardwareTexts(results.map(({ system }) => system));
  return [...Map.groupBy(results, ({ kind }) => kind)].map(([kind, list]) => {
    const present = presentMetrics(list.map((result) => ({ ...valuesOf(result), ...noted(result) })));
    const metrics = present.toSorted((a, b) => columnPlace(a) - columnPlace(b));
    return {
      kind,
      metrics,
      headings: metrics.map(metricHeading),
      definitions: definitionsOf(list, metrics),
      hasSystems: new Set(results.map(({ system }) => system.id)).size > 1,
      hasRepeats: list.some(({ repeats }) => repeats !== null),
      hasDerived: list.some(({ derived }) => Object.values(derived).some((value) => value !== null)),
      hasRepetitions: list.some(({ repetition }) => repetition !== null),
      rows: list.map((result) => toRow(result, metrics, hardware)),
    };
  });
}

/** Trust levels of the results, without duplicates: "self-reported: figures as the submitter sent them". */
export function trustTexts(results: readonly Result[]): string[] {
  return [...new Set(results.map(({ trust }) => `${trustWords[trust].label}: ${trustWords[trust].means}`))];
}

/** Text of a link to a result: its line, or its workload if all results come from the same lines. */
export function resultName(result: Result, all: readonly Result[]): string {
  const { from, to } = result.lines;
  const isShared = all.length > 1 && all.every(({ lines }) => lines.from === from && lines.to === to);
  if (isShared) return `${scenarioText(result.scenario).title}, ${formatLoad(result.load)}`;
  return from === to ? `line ${from}` : `lines ${from} to ${to}`;
}
