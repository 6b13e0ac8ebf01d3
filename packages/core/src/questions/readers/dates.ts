import { InstantSchema } from '../../text/instant.ts';
import { type Words, written } from '../words/tokens.ts';
import type { Reading } from './loads.ts';

const months = 'january february march april may june july august september october november december'.split(' ');

/** A day, a month or a year: its first day and the first day after it. An instant has no end. */
interface Period {
  first: string;
  after: string;
  length: number;
}

const day = (year: number, month: number, date: number) =>
  new Date(Date.UTC(year, month, date)).toISOString().slice(0, 10);

function isDay(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === text;
}

/** "2026-06-01", "2026-06", "june 2026", "2026", "2026-06-01T12:00:00Z", in the years that filters accept. */
function readPeriod(words: Words, at: number): Period | null {
  const text = words.tokens[at]?.text ?? '';
  const name = months.findIndex((month) => month === text || month.slice(0, 3) === text);
  const named = name < 0 ? null : /^(?:19[7-9]|20\d)\d$/u.exec(words.tokens[at + 1]?.text ?? '')?.[0];
  if (named) return { first: day(Number(named), name, 1), after: day(Number(named), name + 1, 1), length: 2 };
  const parts = /^(?<year>(?:19[7-9]|20\d)\d)(?:-(?<month>0[1-9]|1[0-2])(?:-(?<date>\d\d))?)?$/u.exec(text)?.groups;
  if (parts === undefined) {
    const instant = written(words, at, at + 1);
    return text.includes('t') && InstantSchema.safeParse(instant).success
      ? { first: instant, after: instant, length: 1 }
      : null;
  }
  const year = Number(parts.year);
  const month = Number(parts.month ?? 1) - 1;
  if (parts.month === undefined) return { first: day(year, 0, 1), after: day(year + 1, 0, 1), length: 1 };
  if (parts.date === undefined) return { first: day(year, month, 1), after: day(year, month + 1, 1), length: 1 };
  return isDay(text) ? { first: text, after: day(year, month, Number(parts.date) + 1), length: 1 } : null;
}

const dayOf = (date: Date) => date.toISOString().slice(0, 10);

/** Returns the day that is the given number of days, months or years before another. */
function before(today: string, count: number, unit: string): string {
  const date = new Date(`${today}T00:00:00Z`);
  if (unit === 'day') date.setUTCDate(date.getUTCDate() - count);
  else if (unit === 'week') date.setUTCDate(date.getUTCDate() - 7 * count);
  else if (unit === 'month') date.setUTCMonth(date.getUTCMonth() - count);
  else date.setUTCFullYear(date.getUTCFullYear() - count);
  return dayOf(date);
}

/** Returns the month or year that is the given number of them before today's. */
function calendar(today: string, unit: string, back: number): Omit<Period, 'length'> {
  const year = Number(today.slice(0, 4));
  const month = Number(today.slice(5, 7)) - 1;
  return unit === 'year'
    ? { first: day(year - back, 0, 1), after: day(year - back + 1, 0, 1) }
    : { first: day(year, month - back, 1), after: day(year, month - back + 1, 1) };
}

/** "march", "last month", "this year", "yesterday": periods relative to today. */
function readRelative({ tokens, today }: Words, at: number): Period | null {
  if (today === null) return null;
  const text = tokens[at]?.text ?? '';
  const name = months.findIndex((month) => month === text || month.slice(0, 3) === text);
  if (name >= 0) {
    const year = Number(today.slice(0, 4)) - (day(Number(today.slice(0, 4)), name, 1) > today ? 1 : 0);
    return { first: day(year, name, 1), after: day(year, name + 1, 1), length: 1 };
  }
  if (text === 'yesterday') return { first: before(today, 1, 'day'), after: today, length: 1 };
  if (text === 'today') return { first: today, after: before(today, -1, 'day'), length: 1 };
  const unit = tokens[at + 1]?.text ?? '';
  if ((text === 'this' || text === 'last') && /^(?:month|year)$/u.test(unit))
    return { ...calendar(today, unit, text === 'last' ? 1 : 0), length: 2 };
  return null;
}

/** "last 30 days", "the past week", "this year": a period that ends now, or a whole month or year. */
function readStretch(words: Words, at: number): Reading | null {
  const { tokens, today } = words;
  if (today === null) return null;
  const lead = /^(?:in|from|over|within|during)$/u.test(tokens[at]?.text ?? '') ? 1 : 0;
  const start = at + lead + (tokens[at + lead]?.text === 'the' && lead === 1 ? 1 : 0);
  const word = tokens[start]?.text ?? '';
  const next = tokens[start + 1]?.text ?? '';
  const isNumbered = /^[1-9]\d{0,3}$/u.test(next);
  const unit = /^(day|week|month|year)s?$/u.exec(tokens[start + (isNumbered ? 2 : 1)]?.text ?? '')?.[1];
  const length = start + (isNumbered ? 3 : 2) - at;
  if (unit === undefined || !/^(?:last|past|this|previous)$/u.test(word)) return null;
  if (isNumbered && word !== 'this') return toReading([['since', before(today, Number(next), unit)]], length);
  if (isNumbered) return null;
  if (word === 'this' && /^(?:month|year)$/u.test(unit))
    return toReading([['since', calendar(today, unit, 0).first]], length);
  if (word === 'past' || /^(?:day|week)$/u.test(unit)) return toReading([['since', before(today, 1, unit)]], length);
  const { first, after } = calendar(today, unit, 1);
  return toReading(
    [
      ['since', first],
      ['until', after],
    ],
    length,
  );
}

type Side = 'since' | 'until';

/** The meaning of each preposition for a period. `until` is exclusive, like the filter. */
const prepositions: Readonly<Record<string, (period: Period) => [Side, string][]>> = {
  since: ({ first }) => [['since', first]],
  from: ({ first }) => [['since', first]],
  after: ({ after }) => [['since', after]],
  before: ({ first }) => [['until', first]],
  until: ({ first }) => [['until', first]],
  in: ({ first, after }) => [
    ['since', first],
    ['until', after],
  ],
  during: ({ first, after }) => [
    ['since', first],
    ['until', after],
  ],
};

export const datePhrases = ['since 2026-06-01', 'until 2026-06-01', 'in 2026', 'in june 2026'];

const toReading = (sides: [Side, string][], length: number): Reading => ({
  facts: sides.map(([filter, value]) => ({ filter, values: [value] })),
  length,
});

/** "between 2026-01 and 2026-03", both inclusive. A lone year may be any number. */
function readBetween(words: Words, at: number): Reading | null {
  const isNumber = (place: number) => /^\d{4}$/u.test(words.tokens[place]?.text ?? '');
  const from = isNumber(at + 1) ? null : readPeriod(words, at + 1);
  const and = at + 1 + (from?.length ?? 0);
  if (from === null || words.tokens[and]?.text !== 'and' || isNumber(and + 1)) return null;
  const to = readPeriod(words, and + 1);
  if (to === null) return null;
  return toReading(
    [
      ['since', from.first],
      ['until', to.after],
    ],
    and + 1 + to.length - at,
  );
}

/** "top gpus 2026": a year up to the current one as the last word. */
function isFinalYear({ tokens, today }: Words, at: number): boolean {
  const text = tokens[at]?.text ?? '';
  return at > 0 && at === tokens.length - 1 && today !== null && /^202\d$/u.test(text) && text <= today.slice(0, 4);
}

function readPeriodAsFilter(words: Words, at: number): Reading | null {
  const period = readPeriod(words, at);
  return period === null ? null : toReading(prepositions.in?.(period) ?? [], period.length);
}

/** When a result was stored: "since 2026-06-01", "in june 2026"; null if no date starts here. */
export function readDates(words: Words, at: number): Reading | null {
  const preposition = words.tokens[at]?.text ?? '';
  if (preposition === 'between') return readBetween(words, at);
  if (words.tokens[at + 1]?.text === 'than' && /^(?:newer|later|older|earlier)$/u.test(preposition)) {
    const than = readPeriod(words, at + 2) ?? readRelative(words, at + 2);
    const side = /^(?:newer|later)$/u.test(preposition) ? 'since' : 'until';
    if (than === null) return null;
    return toReading([[side, side === 'since' ? than.after : than.first]], 2 + than.length);
  }
  if (isFinalYear(words, at)) return readPeriodAsFilter(words, at);
  const stretch = readStretch(words, at);
  const meaning = Object.hasOwn(prepositions, preposition) ? prepositions[preposition] : undefined;
  const period = meaning === undefined ? null : (readPeriod(words, at + 1) ?? readRelative(words, at + 1));
  if (stretch !== null && stretch.length > 1 + (period?.length ?? 0)) return stretch;
  if (stretch !== null && period === null) return stretch;
  return meaning === undefined || period === null ? null : toReading(meaning(period), 1 + period.length);
}
