import { phraseTable } from './phrases.ts';
import type { Words } from './tokens.ts';

/** What a number counts, as the registry prints it, and the power of ten that leads from the word to that unit. */
export interface Unit {
  of: 'ms' | 'tok/s' | 'req/s' | 'tok/J' | 'W' | 'TFLOP/s' | 'GB' | 'tok' | '%';
  power: number;
}

const unit = (of: Unit['of'], power = 0): Unit => Object.freeze({ of, power });

/** Ways to write each unit; the first is the one we write. */
const spellings: readonly (readonly [Unit, readonly string[]])[] = [
  [unit('ms'), ['ms', 'msec', 'msecs', 'millisecond', 'milliseconds']],
  [unit('ms', 3), ['s', 'sec', 'secs', 'second', 'seconds']],
  [
    unit('tok/s'),
    [
      ...['tok/s', 'toks/s', 'token/s', 'tokens/s', 'tok/sec', 'tokens/sec', 'tokens/second', 't/s', 'tps'],
      ...['tokens per second', 'tokens a second', 'tokens per sec', 'tok per second', 'token per second'],
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

/** "tok/s" and "req/s" in every spelling, for the names of metrics that hold them. */
export function spellingsOf(first: string): readonly string[] {
  return spellings.find(([, words]) => words[0] === first)?.[1] ?? [first];
}

/** Whether letters right behind a number are its unit. A unit of several words is not written so. */
export const isUnit = (text: string): boolean => units.get(text) !== undefined;

export type Side = 'min' | 'max';

/** Both sides hold their own limit: a limit that is met exactly is met. */
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

/** "20 ms or less": the side behind the number. */
const sidesBehind = phraseTable<Side>([
  ...['or less', 'or lower', 'or fewer', 'or below', 'or under'].map((phrase) => [phrase, 'max'] as const),
  ...['or more', 'or higher', 'or above', 'or over'].map((phrase) => [phrase, 'min'] as const),
]);

export const comparisonPhrases = [...sides.phrases, 'between'];

const numeral = /^(?:\d{1,12}|\d{1,3}(?:,\d{3}){1,3})?(?:\.\d{1,12})?(?:e[+-]?\d{1,2})?$/u;

/** A plain number as written: "1,000" is 1000, "1e-3" is allowed. Null for anything else. */
export function readNumber(text: string): string | null {
  if (!/^[.\d]/u.test(text) || !/\d/u.test(text) || !numeral.test(text)) return null;
  return text.replaceAll(',', '');
}

/** `number` x 10^power, rounded once: 1.1 % is 0.011 and not a neighbour of it. */
export function scaled(number: string, power: number): number {
  const [mantissa, exponent] = number.split('e');
  return Number(`${mantissa}e${Number(exponent ?? 0) + power}`);
}

const wordCounts: Readonly<Record<string, number>> = {
  ...{ one: 1, single: 1, two: 2, dual: 2, three: 3, four: 4, quad: 4, five: 5, six: 6, seven: 7, eight: 8, nine: 9 },
  ...{ ten: 10, twelve: 12, sixteen: 16 },
};

/** "8", "two", "dual"; null for what is no whole number above 0. */
export function readCount(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (Object.hasOwn(wordCounts, text)) return wordCounts[text] ?? null;
  return /^[1-9]\d{0,8}$/u.test(text) ? Number(text) : null;
}

/** A number with the unit behind it, null where none is. */
export interface Quantity {
  number: string;
  unit: Unit | null;
  start: number;
  end: number;
}

/** Limits on a quantity that is told elsewhere. */
export interface Comparison {
  limits: { side: Side; quantity: Quantity }[];
  length: number;
}

/** `spoken` is how many words a longer name of a metric takes at a place: "tok/s per user" is more than a unit. */
export type SpokenFor = (words: Words, at: number) => number;

export function readQuantity(words: Words, at: number, spoken: SpokenFor): Quantity | null {
  const number = readNumber(words.tokens[at]?.text ?? '');
  if (number === null) return null;
  const found = units.find(words, at + 1);
  const named = spoken(words, at + 1);
  // What measures in its own name, such as "tok/s", is the unit first; a longer name is the metric's.
  const taken = found !== null && named <= found.length ? found : null;
  return { number, unit: taken?.value ?? null, start: at, end: at + 1 + (taken?.length ?? 0) };
}

function readBetween(words: Words, at: number, spoken: SpokenFor): Comparison | null {
  if (words.tokens[at]?.text !== 'between') return null;
  const low = readQuantity(words, at + 1, spoken);
  if (low === null || words.tokens[low.end]?.text !== 'and') return null;
  const high = readQuantity(words, low.end + 1, spoken);
  if (high === null) return null;
  // "between 10 and 20 ms" says the unit once.
  const from = { ...low, unit: low.unit ?? high.unit };
  return {
    limits: [
      { side: 'min', quantity: from },
      { side: 'max', quantity: high },
    ],
    length: high.end - at,
  };
}

/** "under 20 ms", "between 10 and 20 ms", "20 ms or less"; null where no limit stands. */
export function readComparison(words: Words, at: number, spoken: SpokenFor): Comparison | null {
  const between = readBetween(words, at, spoken);
  if (between !== null) return between;
  const before = sides.find(words, at);
  const quantity = readQuantity(words, at + (before?.length ?? 0), spoken);
  if (quantity === null) return null;
  if (before !== null) return { limits: [{ side: before.value, quantity }], length: quantity.end - at };
  const behind = sidesBehind.find(words, quantity.end);
  if (behind === null) return null;
  return { limits: [{ side: behind.value, quantity }], length: quantity.end + behind.length - at };
}
