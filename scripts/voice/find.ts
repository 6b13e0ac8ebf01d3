import type { Word } from './words.ts';

export interface Use {
  line: number;
  word: Word;
  /** The text that matched. */
  found: string;
}

const blank = (text: string) => text.replace(/[^\n]/g, ' ');

/** The prose of a Markdown document. Code, link targets and HTML tags become blanks, so line numbers do not change. */
export const proseOf = (markdown: string): string =>
  markdown
    .replace(/^(```+).*?^\1/gms, blank)
    .replace(/`[^`]+`/g, blank)
    .replace(/\]\([^)]*\)/g, blank)
    .replace(/<\/?[a-z][^>]*>/gi, (tag) => (/\balt="([^"]*)"/.exec(tag)?.[1] ?? '') + tag.replace(/[^\n]/g, ''));

/** Comments of a TypeScript, JavaScript or Astro file. Strings are skipped, so that `https://` is not a comment. */
export const commentsOf = (source: string): string[] =>
  [
    ...source.matchAll(
      /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|(\/\/[^\n]*|\/\*.*?\*\/|<!--.*?-->)/gs,
    ),
  ].flatMap(([, comment]) => (comment === undefined ? [] : [comment]));

/** Uses of the words in a text, except where they are part of an allowed phrase. */
export function findUses(text: string, words: readonly Word[], phrases: readonly string[] = []): Use[] {
  const rest = phrases.reduce((prose, phrase) => prose.replaceAll(phrase, blank), text);
  return rest
    .split('\n')
    .flatMap((line, index) =>
      words.flatMap((word) => [...line.matchAll(word.pattern)].map(([found]) => ({ line: index + 1, word, found }))),
    );
}
