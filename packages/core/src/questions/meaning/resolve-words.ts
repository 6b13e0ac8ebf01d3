import { derived } from '../../catalogue/memo.ts';
import { catalogueNames } from '../readers/catalogue-words.ts';
import { type Chunk, toChunks } from '../readers/chunks.ts';
import { loadPhrases } from '../readers/loads.ts';
import { metricPhrases } from '../readers/metric-phrases.ts';
import { fillers, nouns, prepositions, superlatives, trustPhrases } from '../words/common-words.ts';
import { comparatives, cues } from '../words/cues.ts';
import { fillerWords } from '../words/filler-words.ts';
import { comparisonPhrases, units } from '../words/numbers.ts';
import type { Words } from '../words/tokens.ts';
import { correct } from '../words/typos.ts';

const wordsOf = (phrase: string) => phrase.toLowerCase().split(/[^\p{L}\p{N}.+]+/u);

/** Single words of names and the grammar that are long enough to recognize typos. */
const known = derived((): ReadonlySet<string> => {
  const grammar = [
    ...[...nouns.phrases, ...superlatives.phrases, ...metricPhrases, ...loadPhrases, ...trustPhrases.phrases],
    ...[...units.phrases, ...comparisonPhrases, ...cues.phrases, ...comparatives.phrases],
  ];
  const names = catalogueNames().flatMap((name) => [...wordsOf(name), name.toLowerCase()]);
  return new Set([...names, ...grammar.flatMap(wordsOf).filter((word) => word.length >= 5)]);
});

/** A misspelled word and its correction. */
export interface Correction {
  at: number;
  wrote: string;
  meant: string;
}

export interface ResolvedWords {
  words: Words;
  chunks: Chunk[];
  corrections: Correction[];
}

const isWord = (text: string) => fillers.has(text) || prepositions.has(text) || fillerWords.has(text);

/** Splits the question into chunks. Corrects an unknown word if it is a typo of exactly one known word. */
export function resolveWords(words: Words): ResolvedWords {
  const chunks = toChunks(words);
  const corrections = chunks.flatMap((chunk): Correction[] => {
    const token = words.tokens[chunk.start];
    if (chunk.kind !== 'unknown' || token === undefined || token.quoted !== null || isWord(token.text)) return [];
    const meant = correct(token.text, known());
    return meant === null ? [] : [{ at: chunk.start, wrote: token.text, meant }];
  });
  if (corrections.length === 0) return { words, chunks, corrections };
  const tokens = words.tokens.map((token, at) => {
    const found = corrections.find((each) => each.at === at);
    return found === undefined ? token : { ...token, text: found.meant, isCorrected: true as const };
  });
  const corrected = { ...words, tokens };
  return { words: corrected, chunks: toChunks(corrected), corrections };
}
