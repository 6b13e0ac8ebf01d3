import { findMetric } from '../metrics/index.ts';
import type { MetricKind } from '../metrics/metric.ts';
import { titleOfId } from '../subjects/system-label.ts';
import type { QuestionFilters, RankName } from './question.ts';
import { type CatalogueKind, catalogueKinds } from './readers/catalogue-words.ts';
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

/** Maximum values of a filter to name in a sentence. */
const namedMost = 3;

/** "in awq-int4, fp8 or 2 others": a filter with many values that have no common word. */
function shortPhrase(kind: CatalogueKind, values: readonly (string | number)[]): string | null {
  const [first = '', second = ''] = values.slice(0, 2).map((value) => filterWords({ [kind]: [value] }).join(' '));
  const [whole] = filterWords({ [kind]: [...values] });
  if (values.length <= namedMost || whole === undefined || !whole.startsWith(`${first} or `)) return null;
  return `${first}, ${second.slice(second.indexOf(' ') + 1)} or ${values.length - 2} others`;
}

/** Plain words for phrases that only the grammar uses. */
const plainWords: readonly (readonly [RegExp, string])[] = [
  [/\bat any number of users\b/u, 'with concurrent users'],
  [/\bat any burst size\b/u, 'with a burst of requests'],
  [/\bat any arrival rate\b/u, 'at an arrival rate'],
  [/\bat any batch size\b/u, 'in batches'],
  [/\bat unspecified load\b/u, 'at an unspecified load'],
  [/\bat load mode batch at load level 1\b/u, 'at batch size 1'],
  [/\bat bursts of requests\b/u, 'in bursts'],
  [/\bat regime unspecified\b/u, 'without a stated regime'],
  [/\bwith context (\d+)/u, 'with a context of at least $1 tokens'],
  [/(?<=\d )gpu(?=s?\b)/u, 'GPU'],
  [/\bfor (\d+(?:\.\d+)?b)\b/u, 'for $1 models'],
];

/** A name in quotation marks is unchanged. */
const toPlain = (phrase: string) =>
  phrase.includes('"') ? phrase : plainWords.reduce((text, [grammar, plain]) => text.replace(grammar, plain), phrase);

/** Replaces the ids of the catalogue in the words of filters by their display names. */
function withTitles(words: string, filters: QuestionFilters): string {
  const titles = catalogueKinds.flatMap((kind) =>
    [filters[kind] ?? [], filters[`not_${kind}`] ?? []].flat(2).flatMap((value) => {
      const title = titleOfId(kind, String(value));
      return title === null ? [] : [[String(value), title] as const];
    }),
  );
  if (titles.length === 0) return words;
  const ids = titles.map(([id]) => id.replaceAll('.', '\\.')).join('|');
  const byId = new Map(titles);
  return words.replace(new RegExp(`(?<![\\w.-])(?:${ids})(?![\\w-]|\\.\\d)`, 'gu'), (id) => byId.get(id) ?? id);
}

/** Formats filters for a sentence: "for Llama 3.3 70B on 2x H200". A long list names its first two values. */
export function describeFilters(filters: QuestionFilters): string {
  const others = Object.entries(filters).filter(([name]) => !isSpoken(name));
  const short = catalogueKinds.flatMap((kind) => {
    const phrase = shortPhrase(kind, [filters[kind] ?? []].flat());
    return phrase === null ? [] : [{ kind, phrase }];
  });
  const rest = Object.entries(filters).filter(([name]) => !short.some(({ kind }) => kind === name));
  const named = [...filterWords(Object.fromEntries(rest)).map(toPlain), ...short.map(({ phrase }) => phrase)];
  return [
    ...named.map((words) => withTitles(words, filters)),
    ...others.map(([name, value]) => `with ${name}=${[value].flat().join(',')}`),
  ].join(' ');
}

/** The title of a metric within a sentence; null for the cost. Abbreviations keep their capitals. */
export function titleInWords(name: RankName): string | null {
  const title = name === 'req_s' ? 'Request throughput' : (findMetric(name)?.title ?? null);
  return title?.replace(/^[A-Z](?=[a-z])/u, (first) => first.toLowerCase()) ?? null;
}

/**
 * Formats what no result has: "No ranked result for Llama 3.3 70B on 2x H200 has TTFT p99." A metric of training or of kernels is
 * searched for only among such results.
 */
export function describeMissing(
  filters: QuestionFilters,
  rankBy: RankName | null,
  kind: MetricKind = 'serving',
): string {
  const what = kind === 'serving' ? 'ranked result' : `ranked ${kind} result`;
  const result = [what, describeFilters(filters)].filter((text) => text !== '').join(' ');
  if (rankBy === null) return `There is no ${result}.`;
  return `No ${result} has ${titleInWords(rankBy) ?? 'the figures for the cost'}.`;
}
