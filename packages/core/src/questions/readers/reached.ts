import { type Comparison, readNumber, type Unit, units } from '../words/numbers.ts';
import type { Words } from '../words/tokens.ts';
import { readMetric } from './metric-phrases.ts';

type Reached = Pick<Comparison, 'limits' | 'length'>;

const reaching =
  /^(?:at|@|for|with|get|gets|getting|gives?|giving|do|does|doing|hit|hits|reach|reaches|achieve|achieves)$/u;

/** "at 20 tok/s", "at 50 tok/s/user", "at 20 ms itl": a speed or a time to reach. */
export function readReached(words: Words, at: number): Reached | null {
  const text = words.tokens[at]?.text ?? '';
  // "gives us 30 tok/s".
  const isGiven = /^(?:us|me)$/u.test(text) && /^gives?$/u.test(words.tokens[at - 1]?.text ?? '');
  if (!reaching.test(text) && !isGiven) return null;
  const number = readNumber(words.tokens[at + 1]?.text ?? '');
  if (number === null) return null;
  const put = (side: 'min' | 'max', unit: Unit | null, end: number): Reached => {
    const quantity = { number, unit, start: at + 1, end };
    return { limits: [{ side, quantity, isStrict: false }], length: end - at };
  };
  const unit = units.find(words, at + 2);
  const named = readMetric(words, at + 2);
  // "tok/s per user" after the number is a metric, which is read separately.
  if (named?.metric?.family.unit === 'tok/s' && named.length > (unit?.length ?? 0)) return put('min', null, at + 2);
  if (unit === null) return null;
  const end = at + 2 + unit.length;
  if (unit.value.of === 'tok/s') return put('min', unit.value, end);
  if (unit.value.of === 'ms/tok') return put('max', unit.value, end);
  // A time needs a metric: "at 20 ms" is not a limit.
  return unit.value.of === 'ms' && readMetric(words, end)?.metric?.family.unit === 'ms'
    ? put('max', unit.value, end)
    : null;
}
