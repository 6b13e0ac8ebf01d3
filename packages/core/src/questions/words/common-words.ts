import { trustLevels } from '../../subjects/result.ts';
import { limitMax, type Order, type RankName, type Subject } from '../question.ts';
import { comparisonSide, readCount, readNumber, scaled } from './numbers.ts';
import { phraseTable } from './phrases.ts';
import type { Words } from './tokens.ts';

/** Words without effect on the answer: question words, politeness, articles, and verbs between facts. */
export const fillers: ReadonlySet<string> = new Set(
  [
    "what what's whats which who show me give find tell list please thanks kindly can could would like will i we you us",
    'want need my our is are was be being the a an this that there does do did has have having get gets got gives',
    'run runs running result results entry entries only just whose its it when where how well perform performs',
    'with to as stays hi hello hey',
  ]
    .join(' ')
    .split(' '),
);

/** Words before a fact. The object of a preposition is not the subject of the question. */
export const prepositions: ReadonlySet<string> = new Set('on in at of for by from using via through w/ @'.split(' '));

/** Nouns for the listed subjects, and for filters that a quoted name may follow. */
export type Noun = Subject | 'scenario' | 'tool' | 'account';

export const nouns = phraseTable<Noun>([
  ...['model', 'models', 'llm', 'llms'].map((word) => [word, 'model'] as const),
  ...[
    'gpu',
    'gpus',
    'card',
    'cards',
    'graphics card',
    'graphics cards',
    'accelerator',
    'accelerators',
    'chip',
    'chips',
  ].map((word) => [word, 'gpu'] as const),
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

/** Words that exclude the following fact. */
export const negations = phraseTable<true>(
  [
    ...[
      'not',
      'not in',
      'not on',
      'not with',
      'not using',
      'not from',
      'without',
      'without using',
      'except',
      'except for',
    ],
    ...['excluding', 'exclude', 'excl', 'no', 'non', 'other than', 'besides', 'but not', 'anything but', 'apart from'],
    ...["isn't", "isn't a", "aren't", "don't want", 'do not want', 'ignoring', 'skip', 'minus', 'instead of', 'is not'],
    ...['and not', 'not a', 'not an', 'that is not', 'which is not', 'none of', 'never'],
  ].map((phrase) => [phrase, true] as const),
);

/**
 * What a superlative ranks by. `best` needs no specific metric, `high` and `low` require one, `fast` means the better end of
 * a speed or a time.
 */
export type Superlative = 'best' | 'high' | 'low' | 'fast' | 'slow' | { name: RankName; order: Order };

export const efficiency = { name: 'tok_per_joule', order: 'desc' } as const;
export const cheapness = { name: 'usd_per_mtok_output', order: 'asc' } as const;

export const superlatives = phraseTable<Superlative>([
  ...['best', 'top', 'optimal', 'bset', 'most powerful', 'strongest'].map((word) => [word, 'best'] as const),
  ...['highest', 'greatest', 'most', 'largest', 'max', 'maximum', 'maximal'].map((word) => [word, 'high'] as const),
  ...['lowest', 'least', 'smallest', 'shortest', 'min', 'minimum', 'minimal'].map((word) => [word, 'low'] as const),
  ...['fastest', 'quickest', 'most fast', 'most quick'].map((word) => [word, 'fast'] as const),
  ['slowest', 'slow'],
  ...['most efficient', 'greenest', 'most energy efficient', 'most power efficient'].map(
    (word) => [word, efficiency] as const,
  ),
  ...[
    'cheapest',
    'most cheap',
    'least expensive',
    'most affordable',
    'most cost effective',
    'most cost efficient',
    'cheapest per token',
  ].map((word) => [word, cheapness] as const),
  ...[
    'best value',
    'best value for money',
    'best bang for the buck',
    'best bang for buck',
    'best price performance',
  ].map((word) => [word, cheapness] as const),
  ...['best price to performance', 'best price/performance', 'most bang for the buck', 'most bang for buck'].map(
    (word) => [word, cheapness] as const,
  ),
]);

/** "by tokens per joule": the phrase after these words ranks. */
export const rankers = phraseTable<true>(
  ['by', 'ranked by', 'sorted by', 'ordered by', 'in terms of', 'for'].map((phrase) => [phrase, true] as const),
);

export const trustPhrases = phraseTable(trustLevels.map((level) => [level, level] as const));

/** "top 5", "5 best", "best 5 models": the requested number of entries. */
export function readLimit(words: Words, at: number): { limit: number; length: number } | null {
  const text = words.tokens[at]?.text;
  const next = words.tokens[at + 1]?.text;
  if (text === 'top' || text === 'first') {
    const limit = readCount(next);
    return limit === null ? null : { limit, length: 2 };
  }
  // "best 8 h100" counts GPUs. After "best", a number is a limit only before a subject noun.
  if (text === 'best') {
    const limit = nouns.find(words, at + 2) === null ? null : readCount(next);
    return limit === null ? null : { limit, length: 2 };
  }
  const limit = readCount(text);
  const superlative = limit === null ? null : superlatives.find(words, at + 1);
  // The superlative is parsed separately, after the number.
  return limit === null || superlative === null ? null : { limit, length: 1 };
}

export const isLimit = (limit: number): boolean => limit >= 1 && limit <= limitMax;

const perHour = phraseTable<true>(
  [
    ...['per gpu hour', '/gpu hour', 'per gpu and hour', 'a gpu hour', 'per gpu per hour', '/gpu/h', '/gpu h'],
    ...['usd per gpu hour', 'dollars per gpu hour', 'per hour and gpu', 'dollar per gpu hour'],
  ].map((phrase) => [phrase, true] as const),
);

/** "an hour", "/hr": price per hour. */
const hourly = phraseTable<true>(
  ['an hour', 'per hour', '/hour', '/hr', '/h', 'hourly', 'a hour', 'per hr', '/ hr', 'each hour'].map(
    (phrase) => [phrase, true] as const,
  ),
);

const perGpu = phraseTable<true>([['per gpu', true]]);

/** The length of "per gpu" at a place, else 0. */
const perGpuLength = (words: Words, at: number): number => perGpu.find(words, at)?.length ?? 0;

interface Currency {
  sign: RegExp;
  name: RegExp;
}

const dollars: Currency = { sign: /^\$$/u, name: /^(?:usd|dollars?|bucks?)$/u };
const otherCurrencies: Currency = { sign: /^[€£]$/u, name: /^(?:[€£]|eur|euros?|gbp|pounds?)$/u };

/** A price per hour in a currency. */
function readHourlyPrice(words: Words, at: number, { sign, name }: Currency): { usd: number; length: number } | null {
  const isSigned = sign.test(words.tokens[at]?.text ?? '');
  const place = isSigned ? at + 1 : at;
  const text = words.tokens[place]?.text ?? '';
  const glued = /^(?<number>[\d.]+)\/(?:gpu[/-]?)?(?:h|hr|hour)(?:\/gpu)?$/u.exec(text)?.groups?.number;
  const number = readNumber(glued ?? text);
  if (number === null) return null;
  const usd = scaled(number, 0);
  if (glued !== undefined) return isSigned ? { usd, length: place + 1 + perGpuLength(words, place + 1) - at } : null;
  const hasName = name.test(words.tokens[place + 1]?.text ?? '');
  if (!isSigned && !hasName) return null;
  const behind = [place + 1, ...(hasName ? [place + 2] : [])];
  const ends = behind.flatMap((start) =>
    [perHour.find(words, start), hourly.find(words, start)].flatMap((unit) =>
      unit === null ? [] : [start + unit.length + perGpuLength(words, start + unit.length)],
    ),
  );
  return ends.length === 0 ? null : { usd, length: Math.max(...ends) - at };
}

/** "$2.50 per gpu hour", "2.5 usd per gpu hour", "at $2 an hour": the price for calculating cost. */
export function readPrice(words: Words, at: number): { usd: number; length: number } | null {
  const isLed = words.tokens[at]?.text === 'at';
  const price = readHourlyPrice(words, isLed ? at + 1 : at, dollars);
  return price === null ? null : { usd: price.usd, length: price.length + (isLed ? 1 : 0) };
}

/** "under $2 an hour": GPUs with at most this price per hour. */
export function readMaxPrice(
  words: Words,
  at: number,
): { facts: { filter: string; values: number[] }[]; length: number } | null {
  const start = words.tokens[at]?.text === 'for' ? at + 1 : at;
  const side = comparisonSide(words, start);
  const price = side?.side === 'max' ? readHourlyPrice(words, start + side.length, dollars) : null;
  if (side === null || price === null) return null;
  const length = start + side.length + price.length - at;
  return { facts: [{ filter: 'max_gpu_usd_per_hour', values: [price.usd] }], length };
}

/** "€2 per hour", "under 2 euros an hour": the length of a price in another currency than dollars, with the words before it. */
export function otherPriceLength(words: Words, at: number): number {
  const start = /^(?:for|at)$/u.test(words.tokens[at]?.text ?? '') ? at + 1 : at;
  const place = start + (comparisonSide(words, start)?.length ?? 0);
  const price = readHourlyPrice(words, place, otherCurrencies);
  return price === null ? 0 : place + price.length - at;
}
