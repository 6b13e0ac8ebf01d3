import { InstantSchema } from '../instant.ts';
import type { Reading } from './loads.ts';
import { type Words, written } from './tokens.ts';

const months = 'january february march april may june july august september october november december'.split(' ');

/** A day, a month or a year, as its first day and the first day after it. An instant has nothing after it. */
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

/** "2026-06-01", "2026-06", "june 2026", "2026", "2026-06-01T12:00:00Z": of the years that filters take. */
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

type Side = 'since' | 'until';

/** What each preposition makes of a period; `until` is the first moment that is out, as in the filter. */
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

/** "between 2026-01 and 2026-03", both included. A year alone may be any number. */
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

/** When a result was stored: "since 2026-06-01", "in june 2026"; null where no date begins here. */
export function readDates(words: Words, at: number): Reading | null {
  const preposition = words.tokens[at]?.text ?? '';
  if (preposition === 'between') return readBetween(words, at);
  const meaning = Object.hasOwn(prepositions, preposition) ? prepositions[preposition] : undefined;
  const period = meaning === undefined ? null : readPeriod(words, at + 1);
  return meaning === undefined || period === null ? null : toReading(meaning(period), 1 + period.length);
}
