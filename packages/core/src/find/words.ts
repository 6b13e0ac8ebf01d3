import { compactKey } from '../catalogue/names/normalise.ts';

/** Maximum length of a search text, and maximum number of its words. */
export const searchLength = 200;
const wordsMax = 8;
/** Filler words, which a search ignores. */
const fillers: ReadonlySet<string> = new Set(['on', 'with', 'for', 'in', 'and', 'the', 'of', 'at', 'vs']);

/** Word separators. The index `systems_words` splits labels by the same expression. */
const separators = /[^a-z0-9.\u0080-\uffff]+/u;

/** The words of a text, in lower case. */
export function wordsOf(text: string): string[] {
  return text.toLowerCase().split(separators).filter(Boolean);
}

/** A text to search for. */
export interface Search {
  /** Without separators. */
  key: string;
  /** For each word its accepted spellings: itself, or joined with its neighbor ("qwen 3.5", "qwen3.5"). */
  words: readonly (readonly string[])[];
}

/** Parses a reader's search text; null if it contains no word. */
export function readSearch(text: string): Search | null {
  const all = wordsOf(text.slice(0, searchLength));
  const words = (all.every((word) => fillers.has(word)) ? all : all.filter((word) => !fillers.has(word))).slice(
    0,
    wordsMax,
  );
  if (words.length === 0) return null;
  return {
    key: compactKey(text.slice(0, searchLength)),
    words: words.map((word, place) => {
      const [before, after] = [words[place - 1], words[place + 1]];
      return [word, ...(before === undefined ? [] : [before + word]), ...(after === undefined ? [] : [word + after])];
    }),
  };
}
