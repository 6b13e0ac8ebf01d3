import { findModelFamily, modelFamilies, models } from '../../catalogue/index.ts';
import { derived } from '../../catalogue/memo.ts';
import { vendorOf } from '../../filters/filters.ts';
import { filterValuesMax } from '../../filters/parameters.ts';
import { comparisonSide, comparisonSideBehind, tokensOfSize } from '../words/numbers.ts';
import { phraseTable } from '../words/phrases.ts';
import type { Words } from '../words/tokens.ts';

/** The models that a phrase means together, and its number of words. */
export interface ModelGroup {
  ids: string[];
  length: number;
}

/**
 * Families by their bare word: "llama" matches llama-2, llama-3.1 and all others. A word with only one family is a normal
 * name.
 */
const bareFamilies = derived((): ReadonlyMap<string, string[]> => {
  const byWord = Map.groupBy(modelFamilies, ({ id }) => /^[a-z]+(?:-[a-z]+)*/u.exec(id)?.[0] ?? id);
  return new Map(
    [...byWord].map(([word, families]) => {
      const begun = modelFamilies.filter(({ id }) => id === word || /^[-.\d]/u.test(id.slice(word.length)));
      const same = begun.filter(({ id }) => id.startsWith(word));
      return [word, (same.length > 0 ? same : families).map(({ id }) => id).sort()] as const;
    }),
  );
});

/** Informal names of single models. */
const nicknames: Readonly<Record<string, string>> = { r1: 'deepseek-r1', dsr1: 'deepseek-r1', dsv3: 'deepseek-v3' };

/** "google gemma": a family after its developer, which is also a vendor of GPUs. */
function readDevelopedFamily(words: Words, at: number): ModelGroup | null {
  const vendor = vendorOf(words.tokens[at]?.text ?? '');
  const family = vendor === null ? null : readBareFamily(words, at + 1);
  if (family === null) return null;
  const isOfVendor = models.some(
    (model) => family.ids.includes(model.family) && model.developer.toLowerCase() === vendor,
  );
  return isOfVendor ? { ...family, length: family.length + 1 } : null;
}

/** "llama", "qwen", "google gemma": all families of the name. Null if the words are not such a name. */
export function readBareFamily(words: Words, at: number): ModelGroup | null {
  const token = words.tokens[at];
  if (token === undefined || token.quoted !== null) return null;
  const nickname = Object.hasOwn(nicknames, token.text) ? nicknames[token.text] : undefined;
  if (nickname !== undefined) return { ids: [nickname], length: 1 };
  const word = token.text.replace(/(?:'s|(?<=[a-z]{3})s)$/u, '');
  const ids = bareFamilies().get(token.text) ?? bareFamilies().get(word);
  return ids === undefined ? readDevelopedFamily(words, at) : { ids, length: 1 };
}

/**
 * Maximum relative distance of a size from a model's parameters if no name contains the size: "34b" matches none, "671b"
 * matches DeepSeek's.
 */
const near = 0.05;

/** Returns the models with the given billions in their name, else those with about as many parameters. */
function modelsOfSize(billions: number): string[] {
  const text = `${billions}b`;
  const named = models.filter(({ id }) => id.split('-').includes(text));
  const found =
    named.length > 0
      ? named
      : models.filter(({ paramsTotalB }) => Math.abs(paramsTotalB - billions) <= near * billions);
  return found.map(({ id }) => id).sort();
}

/** "1B tokens per day" is an amount of tokens, "70b tokens per second" a size before a speed. */
function isAmount({ tokens }: Words, at: number): boolean {
  const text = tokens
    .slice(at, at + 3)
    .map((token) => token.text)
    .join(' ');
  return (
    /^tok(?:en)?s?(?: |$)/u.test(text) && !/^\S+ (?:per|a) (?:s|sec|second|user|gpu|watt|joule|dollar|\$)$/u.test(text)
  );
}

/** "8b", "70B", "8 b", "70 billion": models of a size; null if no model has it. "1B tokens" is an amount. */
export function readSize(words: Words, at: number): ModelGroup | null {
  const size = tokensOfSize(words, at);
  if (size === null || isAmount(words, at + size.length)) return null;
  const ids = modelsOfSize(size.billions);
  return ids.length === 0 ? null : { ids, length: size.length };
}

/** "under 10b", "at most 13 billion", "8b or less": models with at most or at least so many parameters. */
export function readSizeBound(words: Words, at: number): ModelGroup | null {
  const before = comparisonSide(words, at);
  const size = tokensOfSize(words, at + (before?.length ?? 0));
  if (size === null) return null;
  const end = at + (before?.length ?? 0) + size.length;
  const bound = before ?? comparisonSideBehind(words, end);
  if (bound === null) return null;
  const { side, isStrict } = bound;
  const isWithin = (billions: number) => {
    // A size in a name is rounded: an "8b" has 8.03 billion parameters.
    if (Math.abs(billions - size.billions) <= near * size.billions) return !isStrict;
    return side === 'max' ? billions < size.billions : billions > size.billions;
  };
  const ids = models.filter(({ paramsTotalB }) => isWithin(paramsTotalB)).map(({ id }) => id);
  const length = before === null ? end - at + bound.length : end - at;
  return ids.length === 0 || ids.length > filterValuesMax ? null : { ids: ids.sort(), length };
}

/** Words for an architecture. */
const architectures = phraseTable([
  ['moe', 'moe'],
  ['mixture of experts', 'moe'],
  ['dense', 'dense'],
]);

/** "moe", "mixture of experts", "dense": models of an architecture. */
export function readArchitecture(words: Words, at: number): ModelGroup | null {
  const found = words.tokens[at]?.quoted === null ? architectures.find(words, at) : null;
  if (found === null) return null;
  const ids = models.filter(({ architecture }) => architecture === found.value).map(({ id }) => id);
  return ids.length > filterValuesMax ? null : { ids: ids.sort(), length: found.length };
}

/** Returns the models of families and ids. */
export const modelsOf = (values: readonly (string | number)[]): string[] =>
  values.flatMap((value) => findModelFamily(String(value))?.members ?? [String(value)]);
