import { trustLevels } from '../result.ts';
import { readCount, readNumber, scaled } from './numbers.ts';
import { phraseTable } from './phrases.ts';
import { limitMax, type Order, type RankName, type Subject } from './question.ts';
import type { Words } from './tokens.ts';

/** Words that say nothing of the answer: questions, politeness, articles, and the verbs between facts. */
export const fillers: ReadonlySet<string> = new Set(
  [
    "what what's whats which who show me give find tell list please thanks kindly can could would like will i we you us",
    'want need my our is are was be being the a an this that there does do did has have having get gets got gives',
    'run runs running result results entry entries only just whose its it when where how well perform performs',
    'and with to as value values stays & hi hello hey',
  ]
    .join(' ')
    .split(' '),
);

/** Words before a fact; what a preposition introduces is not what is asked for. */
export const prepositions: ReadonlySet<string> = new Set('on in at of for by from using via through w/ @'.split(' '));

/** Nouns for what is listed, and for the filters that a quoted name may follow. */
export type Noun = Subject | 'scenario' | 'tool' | 'account';

export const nouns = phraseTable<Noun>([
  ...['model', 'models', 'llm', 'llms'].map((word) => [word, 'model'] as const),
  ...['gpu', 'gpus', 'card', 'cards', 'graphics card', 'graphics cards', 'accelerator', 'accelerators'].map(
    (word) => [word, 'gpu'] as const,
  ),
  ...['quantization', 'quantizations', 'quantisation', 'quantisations', 'quant', 'quants', 'weight format'].map(
    (word) => [word, 'quantization'] as const,
  ),
  ...['engine', 'engines', 'inference engine', 'inference engines', 'backend', 'backends', 'serving engine'].map(
    (word) => [word, 'engine'] as const,
  ),
  ...['system', 'systems', 'setup', 'setups', 'configuration', 'configurations', 'config', 'configs'].map(
    (word) => [word, 'system'] as const,
  ),
  ...['scenario', 'scenarios', 'workload', 'workloads'].map((word) => [word, 'scenario'] as const),
  ['tool', 'tool'],
  ['account', 'account'],
]);

/**
 * What a superlative ranks by. `best` leaves the metric to others, `high` and `low` need one beside them, `fast` is the
 * better end of a speed or a time.
 */
export type Superlative = 'best' | 'high' | 'low' | 'fast' | 'slow' | { name: RankName; order: Order };

const efficiency = { name: 'tok_per_joule', order: 'desc' } as const;
const cheapness = { name: 'usd_per_mtok_output', order: 'asc' } as const;

export const superlatives = phraseTable<Superlative>([
  ...['best', 'top', 'optimal'].map((word) => [word, 'best'] as const),
  ...['highest', 'greatest', 'most', 'largest', 'max', 'maximum', 'maximal'].map((word) => [word, 'high'] as const),
  ...['lowest', 'least', 'smallest', 'shortest', 'min', 'minimum', 'minimal'].map((word) => [word, 'low'] as const),
  ...['fastest', 'quickest'].map((word) => [word, 'fast'] as const),
  ['slowest', 'slow'],
  ...['most efficient', 'most energy efficient', 'most power efficient'].map((word) => [word, efficiency] as const),
  ...['cheapest', 'least expensive', 'most affordable', 'most cost effective', 'most cost efficient'].map(
    (word) => [word, cheapness] as const,
  ),
]);

/** "by tokens per joule": what stands behind is ranked by. */
export const rankers = phraseTable<true>(
  ['by', 'ranked by', 'sorted by', 'ordered by', 'in terms of', 'for'].map((phrase) => [phrase, true] as const),
);

export const trustPhrases = phraseTable(trustLevels.map((level) => [level, level] as const));

/** "top 5", "5 best", "best 5 models": how many entries are asked for. */
export function readLimit(words: Words, at: number): { limit: number; length: number } | null {
  const text = words.tokens[at]?.text;
  const next = words.tokens[at + 1]?.text;
  if (text === 'top' || text === 'first') {
    const limit = readCount(next);
    return limit === null ? null : { limit, length: 2 };
  }
  // "best 8 h100" counts GPUs: behind "best" only a number of what is asked for is a limit.
  if (text === 'best') {
    const limit = nouns.find(words, at + 2) === null ? null : readCount(next);
    return limit === null ? null : { limit, length: 2 };
  }
  const limit = readCount(text);
  const superlative = limit === null ? null : superlatives.find(words, at + 1);
  // The superlative itself is read as one behind it.
  return limit === null || superlative === null ? null : { limit, length: 1 };
}

export const isLimit = (limit: number): boolean => limit >= 1 && limit <= limitMax;

const perHour = phraseTable<true>(
  [
    ...['per gpu hour', '/gpu hour', 'per gpu and hour', 'a gpu hour', 'per gpu per hour', '/gpu/h', '/gpu h'],
    ...['usd per gpu hour', 'dollars per gpu hour', 'per hour and gpu', 'dollar per gpu hour'],
  ].map((phrase) => [phrase, true] as const),
);

/** "$2.50 per gpu hour", "2.5 usd per gpu hour": the price that cost is computed with. */
export function readPrice(words: Words, at: number): { usd: number; length: number } | null {
  const start = words.tokens[at]?.text === 'at' ? at + 1 : at;
  const isSigned = words.tokens[start]?.text === '$';
  const place = isSigned ? start + 1 : start;
  const number = readNumber(words.tokens[place]?.text ?? '');
  const unit = perHour.find(words, place + 1);
  const isMoney = isSigned || /^(?:usd|dollars?)$/u.test(words.tokens[place + 1]?.text ?? '');
  if (number === null || unit === null || !isMoney) return null;
  return { usd: scaled(number, 0), length: place + 1 + unit.length - at };
}
