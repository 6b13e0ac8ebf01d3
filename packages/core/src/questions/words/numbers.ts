import { phraseTable } from './phrases.ts';
import type { Words } from './tokens.ts';

/** What a number counts, in the registry's unit, and the power of ten from the word to that unit. */
export interface Unit {
  of: 'ms' | 'ms/tok' | 'tok/s' | 'req/s' | 'tok/J' | 'W' | 'TFLOP/s' | 'GB' | 'tok' | '%';
  power: number;
}

const unit = (of: Unit['of'], power = 0): Unit => Object.freeze({ of, power });

/** Spellings of each unit; the first is canonical. */
const spellings: readonly (readonly [Unit, readonly string[]])[] = [
  [unit('ms'), ['ms', 'msec', 'msecs', 'millisecond', 'milliseconds']],
  [
    unit('ms/tok'),
    ['ms/tok', 'ms/token', 'ms per token', 'ms per output token', 'msec/token', 'milliseconds per token'],
  ],
  [unit('ms', 3), ['s', 'sec', 'secs', 'second', 'seconds']],
  [
    unit('tok/s'),
    [
      ...['tok/s', 'toks/s', 'token/s', 'tokens/s', 'tok/sec', 'tokens/sec', 'tokens/second', 't/s', 'tps', 'tk/s'],
      ...['tokens per second', 'tokens a second', 'tokens per sec', 'tok per second', 'token per second', 'token/sec'],
    ],
  ],
  [
    unit('req/s'),
    [
      'req/s',
      'reqs/s',
      'request/s',
      'requests/s',
      'requests/sec',
      'rps',
      'qps',
      'requests per second',
      'req per second',
    ],
  ],
  [unit('tok/J'), ['tok/j', 'token/j', 'tokens/j', 'tokens/joule', 'tokens per joule', 'tok per joule']],
  [unit('W'), ['w', 'watt', 'watts']],
  [unit('TFLOP/s'), ['tflop/s', 'tflops/s', 'tflops']],
  [unit('GB'), ['gb', 'gigabyte', 'gigabytes']],
  [unit('tok'), ['tok', 'tokens']],
  [unit('%', -2), ['%', 'percent']],
];

export const units = phraseTable(spellings.flatMap(([value, words]) => words.map((word) => [word, value] as const)));

/** All spellings of "tok/s" and "req/s", for metric names that contain them. */
export function spellingsOf(first: string): readonly string[] {
  return spellings.find(([, words]) => words[0] === first)?.[1] ?? [first];
}

/** True if letters directly after a number are its unit. Units of several words never are. */
export const isUnit = (text: string): boolean => units.get(text) !== undefined;

export type Side = 'min' | 'max';

/** Both sides include their limit. For counts, see `isStrict`. */
const sides = phraseTable<Side>([
  ...[
    ...['under', 'below', 'less than', 'lower than', 'fewer than', 'shorter than', 'smaller than', 'at most', 'within'],
    ...['no more than', 'not more than', 'up to', 'max', 'maximum', 'maximum of', '<', '<='],
    '≤',
  ].map((phrase) => [phrase, 'max'] as const),
  ...[
    ...[
      'over',
      'above',
      'more than',
      'greater than',
      'higher than',
      'larger than',
      'longer than',
      'at least',
      '>',
      '>=',
    ],
    ...['no less than', 'not less than', 'no fewer than', 'min', 'minimum', 'minimum of', 'exceeding', '≥'],
  ].map((phrase) => [phrase, 'min'] as const),
]);

/** Words of a side that exclude the number: "more than 8 users" means at least 9. */
const strict =
  /^(?:under|below|over|above|exceeding|[<>]|(?:less|lower|fewer|shorter|smaller|more|greater|higher|larger|longer) than)$/u;

/** "20 ms or less": words of a side after the number. */
const sidesBehind = phraseTable<Side>([
  ...['or less', 'or lower', 'or fewer', 'or below', 'or under', 'or smaller'].map(
    (phrase) => [phrase, 'max'] as const,
  ),
  ...['or more', 'or higher', 'or above', 'or over', 'or larger', 'or bigger'].map(
    (phrase) => [phrase, 'min'] as const,
  ),
]);

export const comparisonPhrases = [...sides.phrases, 'between'];

/** The words of a side at a position, as spelled in the vocabulary. */
const saidOf = ({ tokens }: Words, at: number, length: number) =>
  tokens
    .slice(at, at + length)
    .map(({ text }) => text)
    .join(' ');

const numeral = /^(?:\d{1,12}|\d{1,3}(?:,\d{3}){1,3})?(?:\.\d{1,12})?(?:e[+-]?\d{1,2})?$/u;

/** Parses a plain number: "1,000" is 1000, "1e-3" is valid. Null for anything else. */
export function readNumber(text: string): string | null {
  if (!/^[.\d]/u.test(text) || !/\d/u.test(text) || !numeral.test(text)) return null;
  return text.replaceAll(',', '');
}

/** Parses a number with an optional sign: a negative limit is named in an error. */
const readSigned = (text: string): string | null => {
  const number = readNumber(text.replace(/^-/u, ''));
  return number === null || !text.startsWith('-') ? number : `-${number}`;
};

/** `number` x 10^power, rounded once: 1.1 % is exactly the double 0.011. */
export function scaled(number: string, power: number): number {
  const [mantissa, exponent] = number.split('e');
  return Number(`${mantissa}e${Number(exponent ?? 0) + power}`);
}

const wordCounts: Readonly<Record<string, number>> = {
  ...{ one: 1, single: 1, two: 2, dual: 2, three: 3, four: 4, quad: 4, five: 5, six: 6, seven: 7, eight: 8, nine: 9 },
  ...{ ten: 10, twelve: 12, sixteen: 16 },
};

/** Parses a number of tokens: "8192", "32k", "1m"; null for anything else. */
export function readTokens(text: string | undefined): number | null {
  const { number, scale } = /^(?<number>\d[\d,]*(?:\.\d+)?)(?<scale>[km]?)$/u.exec(text ?? '')?.groups ?? {};
  if (number === undefined) return null;
  const value = scaled(number.replaceAll(',', ''), scale === 'k' ? 3 : scale === 'm' ? 6 : 0);
  return Number.isInteger(value) && value > 0 && value < 1e9 ? value : null;
}

/** "8b", "8 b", "70 billion": parameters in billions. */
export function tokensOfSize({ tokens }: Words, at: number): { billions: number; length: number } | null {
  const text = tokens[at]?.text ?? '';
  const whole = /^(\d+(?:\.\d+)?)-?b(?:illion)?$/u.exec(text)?.[1];
  if (whole !== undefined) return { billions: Number(whole), length: 1 };
  const isApart = /^\d+(?:\.\d+)?$/u.test(text) && /^(?:b|bn|billion)$/u.test(tokens[at + 1]?.text ?? '');
  return isApart ? { billions: Number(text), length: 2 } : null;
}

/** "8", "two", "dual"; null unless it is an integer above 0. */
export function readCount(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (Object.hasOwn(wordCounts, text)) return wordCounts[text] ?? null;
  return /^[1-9]\d{0,8}$/u.test(text) ? Number(text) : null;
}

/** A number with its unit; null without one. */
export interface Quantity {
  number: string;
  unit: Unit | null;
  start: number;
  end: number;
}

/** Limits on a quantity that is named elsewhere. */
export interface Comparison {
  limits: { side: Side; quantity: Quantity; isStrict: boolean }[];
  length: number;
}

/** `spoken` returns the number of words of a longer metric name at a position: "tok/s per user" is more than a unit. */
export type SpokenFor = (words: Words, at: number) => number;

/** "half a second", "a second". */
function readWordedSecond({ tokens }: Words, at: number): Quantity | null {
  const isHalf = tokens[at]?.text === 'half';
  const article = isHalf ? at + 1 : at;
  if (!/^an?$/u.test(tokens[article]?.text ?? '') || tokens[article + 1]?.text !== 'second') return null;
  return { number: isHalf ? '0.5' : '1', unit: unit('ms', 3), start: at, end: article + 2 };
}

/** "50+": the number of a minimum. */
const orMore = /^(?<number>[\d.,]+)\+$/u;

export function readQuantity(words: Words, at: number, spoken: SpokenFor): Quantity | null {
  const worded = readWordedSecond(words, at);
  if (worded !== null) return worded;
  const text = words.tokens[at]?.text ?? '';
  const number = readSigned(orMore.exec(text)?.groups?.number ?? text);
  if (number === null) return null;
  const found = units.find(words, at + 1);
  const named = spoken(words, at + 1);
  // A unit that is also a metric, such as "tok/s", is parsed as a unit. A longer name is a metric.
  const taken = found !== null && named <= found.length ? found : null;
  return { number, unit: taken?.value ?? null, start: at, end: at + 1 + (taken?.length ?? 0) };
}

/** "1.500 tok/s" may be 1.5 or, with the separator of other languages, 1,500. Seconds have decimals. */
export const isDoubtful = ({ number, unit }: Quantity): boolean =>
  /^[1-9]\d{0,2}\.\d{2}0$/u.test(number) && unit?.power !== 3;

function readBetween(words: Words, at: number, spoken: SpokenFor): Comparison | null {
  if (words.tokens[at]?.text !== 'between') return null;
  const low = readQuantity(words, at + 1, spoken);
  if (low === null || words.tokens[low.end]?.text !== 'and') return null;
  const high = readQuantity(words, low.end + 1, spoken);
  if (high === null) return null;
  // "between 10 and 20 ms" states the unit once.
  const from = { ...low, unit: low.unit ?? high.unit };
  return {
    limits: [
      { side: 'min', quantity: from, isStrict: false },
      { side: 'max', quantity: high, isStrict: false },
    ],
    length: high.end - at,
  };
}

/** True if a maximum precedes a word. */
const hasMaximum = (words: Words, end: number): boolean =>
  words.tokens.slice(0, end).some((_, at) => sides.find(words, at)?.value === 'max');

/** "faster than 100 tok/s" is a minimum, "faster than 50 ms" a maximum. Without a unit, the number may name a GPU. */
function readFaster(words: Words, at: number, spoken: SpokenFor): Comparison | null {
  const isFaster = /^(?:faster|quicker)$/u.test(words.tokens[at]?.text ?? '');
  const quantity = isFaster && words.tokens[at + 1]?.text === 'than' ? readQuantity(words, at + 2, spoken) : null;
  if (quantity?.unit == null) return null;
  const side = quantity.unit.of === 'tok/s' || quantity.unit.of === 'req/s' ? 'min' : 'max';
  return { limits: [{ side, quantity, isStrict: false }], length: quantity.end - at };
}

/** "under 20 ms", "between 10 and 20 ms", "20 ms or less", "50+ tok/s"; null if there is no limit. */
export function readComparison(words: Words, at: number, spoken: SpokenFor): Comparison | null {
  const whole = readBetween(words, at, spoken) ?? readFaster(words, at, spoken);
  if (whole !== null) return whole;
  const before = sides.find(words, at);
  const quantity = readQuantity(words, at + (before?.length ?? 0), spoken);
  if (quantity === null) return null;
  if (before !== null) {
    const isStrict = strict.test(saidOf(words, at, before.length));
    return { limits: [{ side: before.value, quantity, isStrict }], length: quantity.end - at };
  }
  // "under 2 s ttft and 50 ms tpot".
  const isListed =
    words.tokens[at - 1]?.text === 'and' && quantity.unit?.of === 'ms' && spoken(words, quantity.end) > 0;
  if (isListed && hasMaximum(words, at - 1))
    return { limits: [{ side: 'max', quantity, isStrict: false }], length: quantity.end - at };
  if (orMore.test(words.tokens[at]?.text ?? ''))
    return { limits: [{ side: 'min', quantity, isStrict: false }], length: quantity.end - at };
  const behind = sidesBehind.find(words, quantity.end);
  if (behind === null) return null;
  return { limits: [{ side: behind.value, quantity, isStrict: false }], length: quantity.end + behind.length - at };
}

/** The words of a side alone: "more than", "at least". */
export function comparisonSide(words: Words, at: number): { side: Side; isStrict: boolean; length: number } | null {
  const found = sides.find(words, at);
  if (found === null) return null;
  return { side: found.value, isStrict: strict.test(saidOf(words, at, found.length)), length: found.length };
}

/** The words of a side after a number: "or less". Both sides include the number. */
export function comparisonSideBehind(
  words: Words,
  at: number,
): { side: Side; isStrict: boolean; length: number } | null {
  const found = sidesBehind.find(words, at);
  return found === null ? null : { side: found.value, isStrict: false, length: found.length };
}
