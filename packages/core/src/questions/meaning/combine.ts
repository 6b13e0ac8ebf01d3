import type { Fault } from '../../errors.ts';
import type { QuestionFilters } from '../question.ts';
import type { Fact } from '../readers/loads.ts';
import { type Words, written } from '../words/tokens.ts';
import { faultOf } from './faults.ts';

/** The filters of a run of words. */
export interface Stated {
  facts: Fact[];
  start: number;
  end: number;
}

/** Filters that allow one value, as in URLs; all others match any of their values. */
const once = /^(?:since|until|min_(?!quality$).+|max_.+)$/u;

/** Two filters with values tied by a phrase: "2x h200 or 4x h100" does not mean any combination. */
const tied = [
  ['gpu', 'gpu_count'],
  ['load_mode', 'load_level'],
] as const;

const valuesOf = ({ facts }: Stated, filter: string) => facts.find((fact) => fact.filter === filter)?.values ?? [];

function tiedFaults(words: Words, stated: readonly Stated[]): Fault[] {
  return tied.flatMap(([one, other]) => {
    const concerned = stated.filter((each) => valuesOf(each, one).length + valuesOf(each, other).length > 0);
    const isPair = (each: Stated) => valuesOf(each, one).length > 0 && valuesOf(each, other).length > 0;
    if (!concerned.some(isPair)) return [];
    const pairs = new Set(
      concerned.flatMap((each) => valuesOf(each, one).flatMap((a) => valuesOf(each, other).map((b) => `${a} ${b}`))),
    );
    const count = (filter: string) => new Set(concerned.flatMap((each) => valuesOf(each, filter))).size;
    if (concerned.every(isPair) && pairs.size === count(one) * count(other)) return [];
    const last = concerned.at(-1);
    const phrase = last === undefined ? '' : written(words, last.start, last.end);
    const hint = 'Use one of them, give each the same number, or write "vs" to compare them.';
    return [faultOf('pairs_mixed', phrase, `has a ${other} that the others do not have.`, hint)];
  });
}

function isAfter(low: string | number, high: string | number): boolean {
  if (typeof low === 'number' && typeof high === 'number') return low > high;
  // A period must contain at least one instant.
  return Date.parse(String(low)) >= Date.parse(String(high));
}

/** Limits below 0, which no value meets or every value meets. */
function negativeFaults(words: Words, stated: readonly Stated[]): Fault[] {
  const isNegative = ({ filter, values }: Fact) =>
    /^(?:min|max)_/u.test(filter) && values.some((value) => typeof value === 'number' && value < 0);
  return stated
    .filter(({ facts }) => facts.some(isNegative))
    .map(({ start, end }) => {
      const hint = 'No value is below 0. Use a limit of at least 0, such as "ttft under 500 ms".';
      return faultOf('limit_negative', written(words, start, end), 'has a negative limit.', hint);
    });
}

const pairOf = (filter: string) =>
  filter === 'until' ? 'since' : filter.startsWith('max_') ? `min_${filter.slice(4)}` : null;

/** Merges all filters. A contradiction is a fault that names the later words. */
export function combine(words: Words, stated: readonly Stated[]): { filters: QuestionFilters; faults: Fault[] } {
  const filters = new Map<string, string | number | (string | number)[]>();
  const faults = [...tiedFaults(words, stated), ...negativeFaults(words, stated)];
  const phraseOf = new Map<string, string>();
  for (const { facts, start, end } of stated) {
    const phrase = written(words, start, end);
    for (const { filter, values } of facts) {
      const before = filters.get(filter);
      const [value] = values;
      if (!once.test(filter)) {
        filters.set(filter, [...new Set([...(Array.isArray(before) ? before : []), ...values])]);
      } else if (before !== undefined && before !== value) {
        const other = phraseOf.get(filter) ?? '';
        faults.push(faultOf('limits_contradict', phrase, `contradicts "${other}".`, 'Give each limit once.'));
      } else if (value !== undefined) filters.set(filter, value);
      phraseOf.set(filter, phrase);
    }
  }
  for (const [filter, high] of filters) {
    const low = filters.get(pairOf(filter) ?? '');
    if (low === undefined || Array.isArray(low) || Array.isArray(high) || !isAfter(low, high)) continue;
    const phrase = phraseOf.get(filter) ?? '';
    faults.push(
      faultOf('limits_contradict', phrase, `is an empty range: from ${low} to ${high}.`, 'Widen one of them.'),
    );
  }
  return { filters: Object.fromEntries(filters), faults };
}
