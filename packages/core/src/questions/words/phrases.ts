import type { Words } from './tokens.ts';

/** Phrases with values. Blanks, hyphens and underscores between words are equivalent. */
export interface PhraseTable<T> {
  find: (words: Words, at: number) => { value: T; length: number } | null;
  get: (text: string) => T | undefined;
  phrases: readonly string[];
}

/** Normalizes phrases for comparison. */
export const phraseKey = (text: string) => text.toLowerCase().replace(/[-_ ]/gu, '');

/** Builds a table. Throws if two values share a phrase, so that loading the vocabulary detects the error. */
export function phraseTable<T>(entries: readonly (readonly [phrase: string, value: T])[]): PhraseTable<T> {
  const index = new Map<string, T>();
  for (const [phrase, value] of entries) {
    const key = phraseKey(phrase);
    const other = index.get(key);
    if (other !== undefined && other !== value) throw new Error(`"${phrase}" stands for two things`);
    index.set(key, value);
  }
  const longest = Math.max(...entries.map(([phrase]) => phrase.split(/[-_ ]/u).length));
  return {
    phrases: entries.map(([phrase]) => phrase),
    get: (text) => index.get(phraseKey(text)),
    find: ({ tokens }, at) => {
      let key = '';
      let found: { value: T; length: number } | null = null;
      for (let length = 1; length <= longest; length++) {
        const token = tokens[at + length - 1];
        if (token === undefined || token.quoted !== null) break;
        key += phraseKey(token.text);
        const value = index.get(key);
        if (value !== undefined) found = { value, length };
      }
      return found;
    },
  };
}
