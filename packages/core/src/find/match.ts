import { compactKey } from '../catalogue/names/normalise.ts';
import { type Search, wordsOf } from './words.ts';

/** How well something matches a search, best first. */
export const matches = ['exact', 'prefix', 'words', 'part', 'some', 'similar'] as const;
export type Match = (typeof matches)[number];

/** A shorter text is part of too many names. */
const partLength = 3;

/** The names of an entry, normalized for searching. */
export interface Named {
  keys: readonly string[];
  words: readonly string[];
}

export const toNamed = (names: readonly string[]): Named => ({
  keys: names.map(compactKey),
  words: [...new Set(names.flatMap(wordsOf))],
});

/** Counts the words of a search that the names contain. */
export const countWords = ({ words }: Search, named: Named): number =>
  words.filter((spellings) => spellings.some((spelling) => named.words.some((word) => word.startsWith(spelling))))
    .length;

/** How well the names match a search; null if they do not. `some`: one of several words matches. */
export function matchNames(search: Search, named: Named): Match | null {
  const { key, words } = search;
  if (named.keys.includes(key)) return 'exact';
  if (named.keys.some((name) => name.startsWith(key))) return 'prefix';
  const count = countWords(search, named);
  if (count === words.length) return 'words';
  if (key.length >= partLength && named.keys.some((name) => name.includes(key))) return 'part';
  return count > 0 ? 'some' : null;
}
