import type { Words } from './tokens.ts';

/** Phrases that stand for values, found whether their words are parted by blanks, hyphens or underscores. */
export interface PhraseTable<T> {
  find: (words: Words, at: number) => { value: T; length: number } | null;
  get: (text: string) => T | undefined;
  phrases: readonly string[];
}

/** The form in which two phrases are one. */
export const phraseKey = (text: string) => text.toLowerCase().replace(/[-_ ]/gu, '');

/** Two values under one phrase are a mistake in the vocabulary, found when it loads. */
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
