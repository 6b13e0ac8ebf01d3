import { tools } from '../../adapters/tools.ts';
import { findModelFamily } from '../../catalogue/index.ts';
import {
  fillers,
  type Noun,
  negations,
  nouns,
  otherPriceLength,
  prepositions,
  rankers,
  readLimit,
  readMaxPrice,
  readPrice,
  type Superlative,
  superlatives,
  trustPhrases,
} from '../words/common-words.ts';
import { type Comparative, type Cue, factorLength } from '../words/cues.ts';
import { fillerWords } from '../words/filler-words.ts';
import { type Comparison, readComparison, readCount } from '../words/numbers.ts';
import { phraseKey, phraseTable } from '../words/phrases.ts';
import { type Words, written } from '../words/tokens.ts';
import { readNames } from './catalogue-phrases.ts';
import type { CatalogueKind } from './catalogue-words.ts';
import { readContext, readTestsAtDepth } from './context.ts';
import { readCue } from './cue-phrases.ts';
import { readDates } from './dates.ts';
import { type Denominator, readDenominator } from './denominators.ts';
import {
  readGpuBound,
  readMemory,
  readMemoryLeast,
  readPowerLimit,
  readProcessor,
  readRatedPower,
  readVendor,
  readVersion,
} from './hardware.ts';
import { readLengths } from './lengths.ts';
import { type Fact, type Reading, readLoad } from './loads.ts';
import { metricLength, type NamedMetric, readMetric, readPercentile } from './metric-phrases.ts';
import { readMlperf } from './mlperf.ts';
import { type ModelGroup, readArchitecture, readBareFamily, readSize, readSizeBound } from './model-groups.ts';
import { readGpuGroup, readNickname } from './nicknames.ts';
import { readQuality } from './quality.ts';
import { readReached } from './reached.ts';

type Grouping = 'family' | 'size' | 'architecture' | 'gpus';

/** The meaning of a run of words, before its context is known. */
export type Part =
  | {
      kind: 'facts';
      facts: Fact[];
      /** Models that the words mean together: those of a bare family, of a size or of an architecture; or GPUs. */
      group?: Grouping;
      note?: string;
      /** Memory in a GPU's name that does not identify a variant: "m3 max 64gb". */
      memoryGb?: number;
    }
  | { kind: 'comparison'; limits: Comparison['limits'] }
  | { kind: 'metric'; named: NamedMetric }
  | { kind: 'statistic'; statistic: string }
  /** `named`: the metric that it was joined to. */
  | { kind: 'denominator'; of: Denominator; named?: NamedMetric }
  | { kind: 'superlative'; value: Superlative }
  | { kind: 'ranker' }
  | { kind: 'limit'; limit: number }
  | { kind: 'noun'; noun: Noun }
  | { kind: 'price'; usd: number }
  | { kind: 'other-price' }
  | { kind: 'cue'; cue: Cue }
  | { kind: 'comparative'; value: Comparative }
  | { kind: 'memory'; gb: number }
  | { kind: 'not' }
  | { kind: 'or' }
  | { kind: 'and' }
  | { kind: 'ambiguous'; kinds: CatalogueKind[] }
  | { kind: 'filler' }
  | { kind: 'preposition' }
  | { kind: 'unknown' };

export type Chunk<P extends Part = Part> = P & { start: number; end: number };

type Found = Part & { length: number };

const toFacts = (reading: Reading | null): Found | null =>
  reading === null ? null : { kind: 'facts', facts: reading.facts, length: reading.length };

const toolPhrases = phraseTable(
  // A name of two tools identifies neither.
  tools.flatMap(({ id, name }) => {
    const key = phraseKey(name);
    const isShared = tools.some(
      (other) => other.id !== id && [other.id, other.name].some((text) => phraseKey(text) === key),
    );
    return isShared ? [[id, id] as const] : [[id, id] as const, [name, id] as const];
  }),
);

/** `model "Our Model"`, `tool guidellm`, `account acme`: names that only the preceding noun identifies. */
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

/** "is b200 2x faster": the words before a factor. The factor does not count GPUs. */
function beforeFactor(words: Words, at: number): Words {
  const factor = words.tokens.findIndex((_, place) => place > at && factorLength(words, place) > 0);
  return factor < 0 ? words : { ...words, tokens: words.tokens.slice(0, factor) };
}

/** A name of the catalogue. A name of several kinds is still ambiguous. */
function readEntry(words: Words, at: number): Found | null {
  const [entry, ...others] = readNames(beforeFactor(words, at), at);
  if (entry === undefined) return null;
  const { length } = entry;
  if (others.length > 0) return { kind: 'ambiguous', kinds: [entry, ...others].map(({ kind }) => kind), length };
  const facts: Fact[] = [{ filter: entry.kind, values: entry.ids }];
  if (entry.count !== null) facts.push({ filter: 'gpu_count', values: [entry.count] });
  const family = entry.kind === 'model' && entry.ids.every((id) => findModelFamily(id) !== null);
  if (entry.quantization.length > 0) facts.push({ filter: 'quantization', values: entry.quantization });
  return {
    kind: 'facts',
    facts,
    length,
    ...(family && { group: 'family' as const }),
    ...(entry.memoryGb !== null && { memoryGb: entry.memoryGb }),
  };
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
  // "for llm inference" does not ask for a model.
  if (/^(?:llms?|ai)$/u.test(text) && /^(?:inference|serving|hosting|work)$/u.test(words.tokens[at + 1]?.text ?? ''))
    return { kind: 'filler', length: 2 };
  if (text === 'or') return { kind: 'or', length: 1 };
  if (text === 'and' || text === '&') return { kind: 'and', length: 1 };
  if (fillers.has(text)) return { kind: 'filler', length: 1 };
  // "how long does it take" requests a time.
  if (text === 'long' && words.tokens[at - 1]?.text === 'how') return null;
  // "under vllm", "w/ vllm": without a number, they are prepositions.
  const [before, next] = [at - 1, at + 1].map((place) => words.tokens[place]?.text ?? '');
  if (/^(?:under|w)$/u.test(text) && /^\p{L}/u.test(next ?? '') && !/^\d/u.test(before ?? ''))
    return { kind: 'preposition', length: 1 };
  if (prepositions.has(text)) return { kind: 'preposition', length: 1 };
  return fillerWords.has(text) ? { kind: 'filler', length: 1 } : null;
}

const readGroup =
  (group: Grouping, read: (words: Words, at: number) => ModelGroup | null) =>
  (words: Words, at: number): Found | null => {
    const found = read(words, at);
    if (found === null) return null;
    return {
      kind: 'facts',
      facts: [{ filter: group === 'gpus' ? 'gpu' : 'model', values: found.ids }],
      group,
      length: found.length,
    };
  };

/** Readers of what may start at a word. Their order decides between readings of equal length. */
const readers: readonly ((words: Words, at: number) => Found | null)[] = [
  (words, at) => {
    const price = readPrice(words, at);
    return price === null ? null : { kind: 'price', usd: price.usd, length: price.length };
  },
  (words, at) => {
    const length = otherPriceLength(words, at);
    return length === 0 ? null : { kind: 'other-price', length };
  },
  readNamed,
  (words, at) => toFacts(readMaxPrice(words, at)),
  (words, at) => toFacts(readPowerLimit(words, at)),
  (words, at) => toFacts(readRatedPower(words, at)),
  (words, at) => toFacts(readGpuBound(words, at)),
  (words, at) => toFacts(readMemoryLeast(words, at)),
  (words, at) => toFacts(readTestsAtDepth(words, at)),
  (words, at) => toFacts(readContext(words, at)),
  (words, at) => toFacts(readLengths(words, at)),
  (words, at) => toFacts(readVersion(words, at)),
  (words, at) => {
    const not = negations.find(words, at);
    return not === null ? null : { kind: 'not', length: not.length };
  },
  (words, at) => {
    const reached = readReached(words, at);
    return reached === null ? null : { kind: 'comparison', ...reached };
  },
  (words, at) => toFacts(readQuality(words, at)),
  (words, at) => toFacts(readDates(words, at)),
  (words, at) => toFacts(readLoad(words, at)),
  (words, at) => {
    const memory = readMemory(words, at);
    return memory === null ? null : { kind: 'memory', gb: memory.gb, length: memory.length };
  },
  (words, at) => {
    const comparison = readComparison(words, at, metricLength);
    return comparison === null ? null : { kind: 'comparison', ...comparison };
  },
  (words, at) => {
    const named = readMetric(words, at);
    return named === null ? null : { kind: 'metric', named, length: named.length };
  },
  (words, at) => {
    const found = readPercentile(words, at);
    return found === null ? null : { kind: 'statistic', ...found };
  },
  readDenominator,
  readTrust,
  (words, at) => {
    const limit = readLimit(words, at);
    return limit === null ? null : { kind: 'limit', ...limit };
  },
  readRank,
  readGpuCount,
  readGroup('family', readBareFamily),
  (words, at) => toFacts(readNickname(words, at)),
  readGroup('gpus', readGpuGroup),
  (words, at) => toFacts(readMlperf(words, at)),
  readEntry,
  readGroup('size', readSizeBound),
  readGroup('size', readSize),
  readGroup('architecture', readArchitecture),
  (words, at) => toFacts(readVendor(words, at)),
  (words, at) => toFacts(readProcessor(words, at)),
  readCue,
  (words, at) => {
    const noun = nouns.find(words, at);
    return noun === null ? null : { kind: 'noun', noun: noun.value, length: noun.length };
  },
  readWord,
];

/** Returns the longest reading that starts at a word. */
function readAt(words: Words, at: number): Found {
  let best: Found = { kind: 'unknown', length: 1 };
  for (const read of readers) {
    const found = read(words, at);
    if (found !== null && (best.kind === 'unknown' || found.length > best.length)) best = found;
  }
  return best;
}

/** Splits the question into chunks, each the longest meaningful run of words. Every word is in one chunk. */
export function toChunks(words: Words): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = 0; at < words.tokens.length; ) {
    const { length, ...part } = readAt(words, at);
    chunks.push({ ...part, start: at, end: at + length });
    at += length;
  }
  return chunks;
}
