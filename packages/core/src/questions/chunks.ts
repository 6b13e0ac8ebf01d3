import { tools } from '../adapters/tools.ts';
import { readNames } from './catalogue-phrases.ts';
import type { CatalogueKind } from './catalogue-words.ts';
import {
  fillers,
  type Noun,
  nouns,
  prepositions,
  rankers,
  readLimit,
  readPrice,
  type Superlative,
  superlatives,
  trustPhrases,
} from './common-words.ts';
import { readDates } from './dates.ts';
import { type Fact, type Reading, readLoad } from './loads.ts';
import { metricLength, type NamedMetric, readMetric } from './metric-phrases.ts';
import { type Comparison, readComparison, readCount } from './numbers.ts';
import { phraseKey, phraseTable } from './phrases.ts';
import { readQuality } from './quality.ts';
import { type Words, written } from './tokens.ts';

/** What a run of words is, before it is known what it belongs to. */
export type Part =
  | { kind: 'facts'; facts: Fact[] }
  | { kind: 'comparison'; limits: Comparison['limits'] }
  | { kind: 'metric'; named: NamedMetric }
  | { kind: 'superlative'; value: Superlative }
  | { kind: 'ranker' }
  | { kind: 'limit'; limit: number }
  | { kind: 'noun'; noun: Noun }
  | { kind: 'price'; usd: number }
  | { kind: 'or' }
  | { kind: 'ambiguous'; kinds: CatalogueKind[] }
  | { kind: 'filler' }
  | { kind: 'preposition' }
  | { kind: 'unknown' };

export type Chunk<P extends Part = Part> = P & { start: number; end: number };

type Found = Part & { length: number };

const toFacts = (reading: Reading | null): Found | null =>
  reading === null ? null : { kind: 'facts', facts: reading.facts, length: reading.length };

const toolPhrases = phraseTable(
  // A name that two tools share names neither.
  tools.flatMap(({ id, name }) => {
    const key = phraseKey(name);
    const isShared = tools.some(
      (other) => other.id !== id && [other.id, other.name].some((text) => phraseKey(text) === key),
    );
    return isShared ? [[id, id] as const] : [[id, id] as const, [name, id] as const];
  }),
);

/** `model "Our Model"`, `tool guidellm`, `account acme`: names that only the noun before them tells apart. */
function readNamed(words: Words, at: number): Found | null {
  const noun = nouns.find(words, at);
  if (noun === null || noun.value === 'system') return null;
  const place = at + noun.length;
  const token = words.tokens[place];
  const put = (value: string, length: number): Found => ({
    kind: 'facts',
    facts: [{ filter: noun.value, values: [value] }],
    length: noun.length + length,
  });
  if (token?.quoted !== null && token?.quoted !== undefined) return put(token.quoted, 1);
  if (token === undefined) return null;
  if (noun.value === 'account')
    return fillers.has(token.text) || prepositions.has(token.text) ? null : put(written(words, place, place + 1), 1);
  const tool = noun.value === 'tool' ? toolPhrases.find(words, place) : null;
  return tool === null ? null : put(tool.value, tool.length);
}

/** A name of the catalogue; one that several kinds have is no name yet. */
function readEntry(words: Words, at: number): Found | null {
  const [entry, ...others] = readNames(words, at);
  if (entry === undefined) return null;
  const { length } = entry;
  if (others.length > 0) return { kind: 'ambiguous', kinds: [entry, ...others].map(({ kind }) => kind), length };
  const facts: Fact[] = [{ filter: entry.kind, values: entry.ids }];
  if (entry.count !== null) facts.push({ filter: 'gpu_count', values: [entry.count] });
  if (entry.quantization.length > 0) facts.push({ filter: 'quantization', values: entry.quantization });
  return { kind: 'facts', facts, length };
}

/** "8 gpus", "2x gpus", "single gpu". */
function readGpuCount(words: Words, at: number): Found | null {
  const text = words.tokens[at]?.text;
  const count = readCount(text) ?? readCount(/^(\d+)[x×]$/u.exec(text ?? '')?.[1]);
  const noun = nouns.find(words, at + 1);
  if (count === null || noun?.value !== 'gpu') return null;
  return { kind: 'facts', facts: [{ filter: 'gpu_count', values: [count] }], length: 1 + noun.length };
}

/** "managed", "replicated runs only". */
function readTrust(words: Words, at: number): Found | null {
  const found = trustPhrases.find(words, at);
  if (found === null) return null;
  let end = at + found.length;
  while (/^(?:runs?|results?|only)$/u.test(words.tokens[end]?.text ?? '')) end++;
  return { kind: 'facts', facts: [{ filter: 'trust', values: [found.value] }], length: end - at };
}

function readRank(words: Words, at: number): Found | null {
  const superlative = superlatives.find(words, at);
  if (superlative !== null) return { kind: 'superlative', value: superlative.value, length: superlative.length };
  const ranker = rankers.find(words, at);
  return ranker === null ? null : { kind: 'ranker', length: ranker.length };
}

function readWord(words: Words, at: number): Found | null {
  const text = words.tokens[at]?.text ?? '';
  if (text === 'or') return { kind: 'or', length: 1 };
  if (fillers.has(text)) return { kind: 'filler', length: 1 };
  return prepositions.has(text) ? { kind: 'preposition', length: 1 } : null;
}

/** What may begin at a word, in the order that decides between readings of one length. */
const readers: readonly ((words: Words, at: number) => Found | null)[] = [
  (words, at) => {
    const price = readPrice(words, at);
    return price === null ? null : { kind: 'price', usd: price.usd, length: price.length };
  },
  readNamed,
  (words, at) => toFacts(readQuality(words, at)),
  (words, at) => toFacts(readDates(words, at)),
  (words, at) => toFacts(readLoad(words, at)),
  (words, at) => {
    const comparison = readComparison(words, at, metricLength);
    return comparison === null ? null : { kind: 'comparison', ...comparison };
  },
  (words, at) => {
    const named = readMetric(words, at);
    return named === null ? null : { kind: 'metric', named, length: named.length };
  },
  readTrust,
  (words, at) => {
    const limit = readLimit(words, at);
    return limit === null ? null : { kind: 'limit', ...limit };
  },
  readRank,
  readGpuCount,
  readEntry,
  (words, at) => {
    const noun = nouns.find(words, at);
    return noun === null ? null : { kind: 'noun', noun: noun.value, length: noun.length };
  },
  readWord,
];

/** The longest of what may begin at a word. */
function readAt(words: Words, at: number): Found {
  let best: Found = { kind: 'unknown', length: 1 };
  for (const read of readers) {
    const found = read(words, at);
    if (found !== null && (best.kind === 'unknown' || found.length > best.length)) best = found;
  }
  return best;
}

/** The question in runs of words, each the longest that means something; every word is in one. */
export function toChunks(words: Words): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = 0; at < words.tokens.length; ) {
    const { length, ...part } = readAt(words, at);
    chunks.push({ ...part, start: at, end: at + length });
    at += length;
  }
  return chunks;
}
