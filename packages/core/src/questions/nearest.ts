import { findMetric } from '../metrics/index.ts';
import type { QuestionFilters, RankName } from './question.ts';
import { catalogueKinds } from './readers/catalogue-words.ts';
import { filterWords } from './to-words.ts';

/** A removable part of a question: its parameters. */
export type Part = readonly string[];

/** The ranked metric as a part of a question. */
export const rankPart: Part = ['rank_by'];

/**
 * Filters that are removed together, those with the least effect first. A GPU is removed with its dependent filters.
 * `bounds` marks the position of the bounds.
 */
const partOrder: readonly { of: readonly string[]; with?: readonly string[] }[] = [
  { of: ['since', 'until'] },
  { of: ['trust'] },
  { of: ['tool'] },
  { of: ['account'] },
  { of: ['load_mode', 'load_level', 'min_load_level', 'max_load_level'] },
  { of: ['gpu_power_limit_w', 'min_gpu_power_limit_w', 'max_gpu_power_limit_w'] },
  { of: ['min_context'] },
  { of: ['gpu_count', 'min_gpu_count', 'max_gpu_count'] },
  { of: ['engine_version'] },
  { of: ['bounds'] },
  { of: ['workload', 'scenario', 'regime'] },
  { of: ['engine'], with: ['engine_version'] },
  { of: ['min_quality', 'quality_within'] },
  { of: ['quantization', 'not_quantization'] },
  { of: ['not_engine', 'not_gpu', 'not_model'] },
  { of: rankPart },
  { of: ['gpu'], with: ['gpu_count', 'min_gpu_count', 'max_gpu_count', 'gpu_power_limit_w'] },
  { of: ['model', 'model_family'] },
];

const isBound = (name: string) => /^(?:min|max)_/u.test(name) && findMetric(name.slice(4)) !== null;

/** The parts of a question, including the ranked metric if the question names it. */
export function partsOf(filters: QuestionFilters, saysRank: boolean): Part[] {
  const there = [...Object.keys(filters), ...(saysRank ? rankPart : [])];
  return partOrder.flatMap(({ of, with: also = [] }): Part[] => {
    if (of.includes('bounds')) return there.filter(isBound).map((name) => [name]);
    return there.some((name) => of.includes(name)) ? [[...of, ...also].filter((name) => there.includes(name))] : [];
  });
}

/** All subsets of the given size, in the order of the parts. */
export function setsOf(parts: readonly Part[], size: number): Part[][] {
  if (size === 0) return [[]];
  return parts.flatMap((part, at) => setsOf(parts.slice(at + 1), size - 1).map((rest) => [part, ...rest]));
}

/** Names of filters that a question in words can express. Others are written as parameters. */
const spoken: ReadonlySet<string> = new Set([
  ...[...catalogueKinds, 'gpu_count', 'regime', 'load_mode', 'load_level', 'min_load_level', 'max_load_level'],
  ...['min_quality', 'quality_within', 'trust', 'account', 'tool', 'since', 'until', 'min_context', 'engine_version'],
  ...['gpu_power_limit_w', 'min_gpu_power_limit_w', 'max_gpu_power_limit_w', 'min_gpu_count', 'max_gpu_count'],
  ...['not_model', 'not_gpu', 'not_quantization', 'not_engine', 'max_gpu_usd_per_hour'],
]);

const isSpoken = (name: string) => spoken.has(name) || (isBound(name) && findMetric(name.slice(4)) !== null);

/** True if words can express all filters. */
export const canSay = (filters: QuestionFilters): boolean => Object.keys(filters).every(isSpoken);

/** Formats filters in words: "for llama-3.3-70b on 2x h200". */
export function describeFilters(filters: QuestionFilters): string {
  const others = Object.entries(filters).filter(([name]) => !isSpoken(name));
  return [...filterWords(filters), ...others.map(([name, value]) => `with ${name}=${[value].flat().join(',')}`)].join(
    ' ',
  );
}

/** Formats what no result has: "No ranked result for llama-3.3-70b on 2x h200 states TTFT p99." */
export function describeMissing(filters: QuestionFilters, rankBy: RankName | null): string {
  const result = ['ranked result', describeFilters(filters)].filter((text) => text !== '').join(' ');
  if (rankBy === null) return `There is no ${result}.`;
  return `No ${result} has ${findMetric(rankBy)?.title ?? 'the figures for the cost'}.`;
}
