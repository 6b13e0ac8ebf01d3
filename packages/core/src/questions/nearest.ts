import { findMetric } from '../metrics/index.ts';
import { catalogueKinds } from './catalogue-words.ts';
import type { QuestionFilters, RankName } from './question.ts';
import { filterWords } from './to-words.ts';

/** A part of a question that can be left out: the parameters that say it. */
export type Part = readonly string[];

/** The ranked metric as a part of a question. */
export const rankPart: Part = ['rank_by'];

/**
 * Filters that are left out together, those that change the question least first. A GPU is left out with what belongs to it.
 * Bounds stand where `bounds` is.
 */
const partOrder: readonly { of: readonly string[]; with?: readonly string[] }[] = [
  { of: ['since', 'until'] },
  { of: ['trust'] },
  { of: ['tool'] },
  { of: ['account'] },
  { of: ['load_mode', 'load_level', 'min_load_level', 'max_load_level'] },
  { of: ['gpu_power_limit_w'] },
  { of: ['gpu_count'] },
  { of: ['engine_version'] },
  { of: ['bounds'] },
  { of: ['workload', 'scenario', 'regime'] },
  { of: ['engine'], with: ['engine_version'] },
  { of: ['min_quality', 'quality_within'] },
  { of: ['quantization'] },
  { of: rankPart },
  { of: ['gpu'], with: ['gpu_count', 'gpu_power_limit_w'] },
  { of: ['model', 'model_family'] },
];

const isBound = (name: string) => /^(?:min|max)_(?!load_level$|quality$)/u.test(name);

/** The parts of a question. The ranked metric is one where the question names it. */
export function partsOf(filters: QuestionFilters, saysRank: boolean): Part[] {
  const there = [...Object.keys(filters), ...(saysRank ? rankPart : [])];
  return partOrder.flatMap(({ of, with: also = [] }): Part[] => {
    if (of.includes('bounds')) return there.filter(isBound).map((name) => [name]);
    return there.some((name) => of.includes(name)) ? [[...of, ...also].filter((name) => there.includes(name))] : [];
  });
}

/** All sets of so many parts, in the order of the parts. */
export function setsOf(parts: readonly Part[], size: number): Part[][] {
  if (size === 0) return [[]];
  return parts.flatMap((part, at) => setsOf(parts.slice(at + 1), size - 1).map((rest) => [part, ...rest]));
}

/** Names of filters that questions in words can say; others are written as parameters. */
const spoken: ReadonlySet<string> = new Set([
  ...[...catalogueKinds, 'gpu_count', 'regime', 'load_mode', 'load_level', 'min_load_level', 'max_load_level'],
  ...['min_quality', 'quality_within', 'trust', 'account', 'tool', 'since', 'until'],
]);

const isSpoken = (name: string) => spoken.has(name) || (isBound(name) && findMetric(name.slice(4)) !== null);

/** Whether words can say all filters. */
export const canSay = (filters: QuestionFilters): boolean => Object.keys(filters).every(isSpoken);

/** Filters in words: "for llama-3.3-70b on 2x h200". */
export function describeFilters(filters: QuestionFilters): string {
  const others = Object.entries(filters).filter(([name]) => !isSpoken(name));
  return [...filterWords(filters), ...others.map(([name, value]) => `with ${name}=${[value].flat().join(',')}`)].join(
    ' ',
  );
}

/** What no result has: "No ranked result for llama-3.3-70b on 2x h200 states TTFT p99." */
export function describeMissing(filters: QuestionFilters, rankBy: RankName | null): string {
  const result = ['ranked result', describeFilters(filters)].filter((text) => text !== '').join(' ');
  if (rankBy === null) return `There is no ${result}.`;
  return `No ${result} states ${findMetric(rankBy)?.title ?? 'what cost follows from'}.`;
}
