import type { Metric } from '@inferboard/core/metrics/index';
import { formatLoad } from '@inferboard/core/subjects/load';
import { type SeriesMark, seriesMark } from '../../../charts/palette.ts';
import type { Comparison, System } from '../../../lib/api.ts';
import { hardwareTexts } from '../../../lib/distinct-systems.ts';
import { factSelects } from '../../../lib/filter-view.ts';
import {
  basisText,
  columnUnit,
  formatInterval,
  formatPlural,
  formatRatio,
  formatSd,
  formatValue,
} from '../../../lib/format.ts';
import { definitionText, directionText, metricOf } from '../../../lib/metric-text.ts';
import { hardwareText, quantizationText, scenarioText, systemTitle } from '../../../lib/words.ts';
import { factName } from '../../catalogue/data/fact-name.ts';
import { countsNote, isTotal, perGpuText, pointsPerGpu, unlikeCounts } from './compare-gpus.ts';
import { basedOn, type CompareQuery, comparedMin, compareHref, withoutSystem } from './compare-query.ts';

export interface ComparedSystem {
  id: string;
  /** "A" to "F": the letter of the system in tables and charts. */
  letter: string;
  mark: SeriesMark;
  title: string;
  quantization: string | null;
  hardware: string;
  label: string;
  href: string;
  /** URL of the comparison without it; null if too few systems would remain. */
  withoutHref: string | null;
  /** URL of the comparison with it as the baseline; null for the baseline. */
  baselineHref: string | null;
}

export type Verdict = 'better' | 'worse' | 'undecided' | 'unknown' | 'differs';

export interface RatioText {
  /** "1.451×" */
  text: string | null;
  interval: string | null;
  verdict: Verdict;
  /** The verdict in words, or why it is missing. */
  words: string;
}

export interface ComparedCell {
  value: string;
  sd: string | null;
  /** "n 3, 95 % 197.73 to 198.39" */
  basis: string;
  /** "660.5 tok/s per GPU": a total, if the systems have different numbers of GPUs. */
  perGpu: string | null;
  /** The definition of the value, if the systems' definitions differ. */
  definition: string | null;
  ratio: RatioText | null;
}

export interface ComparedMetric {
  metric: Metric;
  direction: string;
  cells: (ComparedCell | null)[];
}

export interface ComparedPoint {
  anchor: string;
  title: string;
  detail: string | null;
  load: string;
  metrics: ComparedMetric[];
}

export interface CompareView {
  systems: ComparedSystem[];
  differences: { fact: string; values: (string | null)[] }[];
  /** The facts that all systems share. */
  shared: { fact: string; value: string }[];
  points: ComparedPoint[];
  /** Note on different numbers of GPUs; null if the systems have the same number. */
  countsNote: string | null;
  /** Note on points that only one of the systems has. */
  alone: string | null;
}

type Figure = NonNullable<Comparison['points'][number]['metrics'][number]['figures'][number]>;

/** "GPU power limit", "Tensor parallel", "Flash attention": labels of the API's fact names. */
export function factTitle(field: string): string {
  const known = factSelects.find(({ parameter }) => parameter === field);
  if (known !== undefined) return known.label;
  const words = field
    .replace(/^parallelism\.(.+)$/, '$1 parallel')
    .replace(/^features\./, '')
    .replace(/_w$/, ' (W)')
    .replaceAll('_', ' ')
    .replace(/\bgpu(s?)\b/, 'GPU$1')
    .replace(/\b(?:dp|ep|mtp|kv|tp)\b/g, (word) => word.toUpperCase());
  return `${words[0]?.toUpperCase() ?? ''}${words.slice(1)}`;
}

function factText(value: string | number | boolean | null, field: string): string | null {
  if (value === null) return null;
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return typeof value === 'string' ? factName(field, value) : String(value);
}

const verdictWords: Record<Verdict, string> = {
  better: 'better',
  worse: 'worse',
  undecided: 'no difference shown',
  unknown: 'no interval',
  differs: 'differs',
};

/** A ratio to the baseline in words; null for the baseline itself. */
export function ratioText(compared: Figure['compared']): RatioText | null {
  if (compared === null) return null;
  const { ratio, interval, significant, better, reason } = compared;
  const verdict: Verdict =
    significant === null
      ? 'unknown'
      : !significant
        ? 'undecided'
        : better === null
          ? 'differs'
          : better
            ? 'better'
            : 'worse';
  return {
    ...formatRatio(ratio, interval),
    verdict,
    words: reason ?? verdictWords[verdict],
  };
}

/** `gpus`: the GPUs that a total is divided by; null if it is not divided. */
function toCell(figure: Figure, metric: Metric, definition: string | null, gpus: number | null): ComparedCell {
  const { value, n, ci95, compared } = figure;
  const ratio = ratioText(compared);
  const unit = columnUnit(metric.family.unit);
  return {
    value: formatValue(value, unit, figure) ?? '',
    sd: formatSd(value, unit, figure),
    basis: basisText(n, formatInterval(value, unit, ci95, figure)),
    perGpu: gpus === null ? null : perGpuText(value, gpus, unit),
    definition,
    ratio: ratio === null || gpus === null ? ratio : { ...ratio, words: `per GPU, ${ratio.words}` },
  };
}

/** `counts`: the GPU counts of the systems, if they differ. */
function toMetric(
  given: Comparison['points'][number]['metrics'][number],
  counts: readonly number[] | null,
): ComparedMetric | null {
  const metric = metricOf(given.metric);
  if (metric === null) return null;
  const texts = given.figures.map((figure) =>
    figure?.definition == null ? null : definitionText({ [metric.family.base]: figure.definition }, metric),
  );
  const differ = new Set(texts.filter((text) => text !== null)).size > 1;
  return {
    metric,
    direction: directionText(metric),
    cells: given.figures.map((figure, at) =>
      figure === null
        ? null
        : toCell(figure, metric, differ ? (texts[at] ?? null) : null, isTotal(metric) ? (counts?.[at] ?? null) : null),
    ),
  };
}

/** Facts of a system in words, for the list of shared facts. */
function factsOf(system: System): [string, string | null][] {
  const { model, quantization, gpu, engine, gpu_count, gpu_power_limit_w } = system;
  const stated = (name: string) => name !== 'n/a' && name !== 'unspecified' && name !== '';
  return [
    ['Model', stated(model.name) ? model.title : null],
    ['Quantization', stated(quantization.name) ? quantizationText(system) : null],
    ['GPU', stated(gpu.name) ? gpu.title : null],
    ['GPUs', gpu_count === null ? null : String(gpu_count)],
    ['Power limit', gpu_power_limit_w === null ? null : `${gpu_power_limit_w} W`],
    ['Engine', stated(engine.name) ? engine.title : null],
    ...Object.entries(system.parallelism).map(([axis, width]): [string, string | null] => [
      factTitle(`parallelism.${axis}`),
      width === null ? null : String(width),
    ]),
    ...Object.entries(system.features).map(([name, value]): [string, string | null] => [
      factTitle(`features.${name}`),
      factText(value as string | number | boolean | null, `features.${name}`),
    ]),
  ];
}

export function sharedFacts(systems: readonly System[]): CompareView['shared'] {
  const [first, ...others] = systems.map((system) => new Map(factsOf(system)));
  if (first === undefined) return [];
  return [...first].flatMap(([fact, value]) =>
    value !== null && others.every((facts) => facts.get(fact) === value) ? [{ fact, value }] : [],
  );
}

function toSystem(
  system: System,
  at: number,
  query: CompareQuery,
  hardware: ReadonlyMap<string, string>,
): ComparedSystem {
  return {
    id: system.id,
    letter: String.fromCharCode('A'.charCodeAt(0) + at),
    mark: seriesMark(at),
    title: systemTitle(system),
    quantization: quantizationText(system),
    hardware: hardware.get(system.id) ?? hardwareText(system),
    label: system.label,
    href: `/systems/${system.id}`,
    withoutHref: query.ids.length > comparedMin ? compareHref(withoutSystem(query, system.id)) : null,
    baselineHref: at === 0 ? null : compareHref(basedOn(query, system.id)),
  };
}

/** The view of a comparison. */
export function toCompareView(comparison: Comparison, query: CompareQuery): CompareView {
  const { systems, differences, excluded } = comparison;
  const points = pointsPerGpu(comparison);
  const counts = unlikeCounts(systems);
  const alone = excluded.measured_by_one ?? 0;
  const hardware = hardwareTexts(systems);
  return {
    systems: systems.map((system, at) => toSystem(system, at, query, hardware)),
    differences: differences.map(({ field, values }) => ({
      fact: factTitle(field),
      values: values.map((value) => factText(value, field)),
    })),
    shared: sharedFacts(systems),
    countsNote: countsNote(systems),
    points: points.map(({ scenario, load, metrics }, at) => ({
      anchor: `point-${at + 1}`,
      ...scenarioText(scenario),
      load: formatLoad(load),
      metrics: metrics.flatMap((given) => toMetric(given, counts) ?? []),
    })),
    alone:
      alone === 0
        ? null
        : `The page omits ${formatPlural(alone, 'point')} of scenario and load, measured on only one of the systems.`,
  };
}
