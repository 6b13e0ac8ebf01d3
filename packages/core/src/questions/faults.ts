import { derived } from '../catalogue/memo.ts';
import type { Fault } from '../errors.ts';
import { nearest } from '../nearest.ts';
import { catalogueNames } from './catalogue-words.ts';
import type { Chunk } from './chunks.ts';
import { fillers, nouns, prepositions, superlatives, trustPhrases } from './common-words.ts';
import { datePhrases } from './dates.ts';
import { loadPhrases } from './loads.ts';
import { metricPhrases } from './metric-phrases.ts';
import { comparisonPhrases, units } from './numbers.ts';
import { type Words, written } from './tokens.ts';

/** The parameter that a question arrives in. */
const parameter = 'q';

export const example = 'best model under 20ms ITL on H100';

/** Longest piece of a question that is said back. */
const saidBack = 80;

/** One phrase that the question cannot be answered with; the message begins with it. */
export function faultOf(code: string, phrase: string, says: string, hint: string): Fault {
  const shown = phrase.length > saidBack ? `${phrase.slice(0, saidBack)}...` : phrase;
  return { code, message: `"${shown}" ${says}`, hint, parameter };
}

/** Every phrase of the grammar, for the nearest to a word that is none. */
const known = derived((): readonly string[] => [
  ...new Set(
    [
      ...[...metricPhrases, ...loadPhrases, ...datePhrases, ...comparisonPhrases],
      ...[...nouns.phrases, ...superlatives.phrases, ...trustPhrases.phrases, ...units.phrases],
      ...catalogueNames(),
      ...[...fillers, ...prepositions].filter((word) => word.length > 3),
    ].map((phrase) => phrase.toLowerCase()),
  ),
]);

/** Words that are looked for nearby; further ones are named without a hint of their own. */
const hintedMax = 12;

const general = `Ask in the manner of "${example}".`;

/** Words that mean several things here, with what to say instead. */
const vague: Readonly<Record<string, string>> = {
  latency: 'Say which: "ttft", "itl", "tpot" or "e2e latency".',
};

function hintFor(phrase: string): string | null {
  const word = phrase.toLowerCase();
  if (Object.hasOwn(vague, word)) return vague[word] ?? null;
  // A word of three letters is near to everything.
  if (word.length < 4) return null;
  const begun = catalogueNames().find(
    (name) => name.toLowerCase().startsWith(word) && /^[-. \d]/u.test(name.slice(word.length)),
  );
  if (begun !== undefined) return `Say which, such as "${begun}".`;
  const found = nearest(word, known());
  return found === null || found === word ? null : `Did you mean "${found}"?`;
}

/** One fault for each word without a place; neighbours are also looked up as one name: "lama 3.1 8b". */
export function unknownFaults(words: Words, chunks: readonly Chunk[]): Fault[] {
  const faults: Fault[] = [];
  let run: { start: number; end: number }[] = [];
  const finish = () => {
    const [first] = run;
    const last = run.at(-1);
    const isNear = faults.length < hintedMax;
    const whole =
      run.length > 1 && isNear && first !== undefined && last !== undefined
        ? hintFor(written(words, first.start, last.end))
        : null;
    for (const { start, end } of run) {
      const word = written(words, start, end);
      const own = whole ?? (faults.length < hintedMax ? hintFor(word) : null);
      faults.push(faultOf('word_unknown', word, 'is not understood here.', own ?? general));
    }
    run = [];
  };
  for (const chunk of chunks) {
    const before = run.at(-1);
    const isGlued = before !== undefined && words.tokens[before.end - 1]?.end === words.tokens[chunk.start]?.start;
    if (chunk.kind !== 'unknown') finish();
    // "141gb" was taken apart for its unit, and is said back as it was written.
    else if (isGlued) before.end = chunk.end;
    else run.push({ start: chunk.start, end: chunk.end });
  }
  finish();
  return faults;
}
