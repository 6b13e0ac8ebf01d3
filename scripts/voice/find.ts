import { type Part, scan } from './scan.ts';
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

/** A text with the same lines as the source, in which only these parts are left. */
function only(source: string, parts: readonly Part[]): string {
  const lines = blank(source).split('\n');
  for (const { at, text } of parts) {
    const first = source.slice(0, at).split('\n').length - 1;
    for (const [index, line] of text.split('\n').entries()) lines[first + index] += `${line} `;
  }
  return lines.join('\n');
}

/** The comments of a source file, at their lines. */
export const commentsOf = (source: string, isPage: boolean): string =>
  only(
    source,
    scan(source, isPage).filter(({ kind }) => kind === 'comment'),
  );

/** True of a string that may be a sentence: words with a space between, and no SQL. */
const isProse = (text: string) =>
  /[a-z] +[a-z]/i.test(text) &&
  !/\bselect\b.*\bfrom\b|\bupdate \w+ set\b|\bwhere \w+\.\w|\bwith \w+ as \(/is.test(text);

/** The texts of a source file that people may read, at their lines: strings with a space, and the text of an Astro page. */
export const stringsOf = (source: string, isPage: boolean): string =>
  only(
    source,
    scan(source, isPage).filter(({ kind, text }) => kind === 'text' || (kind === 'string' && isProse(text))),
  );

/** Uses of the words in a text, except where they are part of an allowed phrase. */
export function findUses(text: string, words: readonly Word[], phrases: readonly string[] = []): Use[] {
  const rest = phrases.reduce((prose, phrase) => prose.replaceAll(phrase, blank), text);
  return rest
    .split('\n')
    .flatMap((line, index) =>
      words.flatMap((word) => [...line.matchAll(word.pattern)].map(([found]) => ({ line: index + 1, word, found }))),
    );
}
