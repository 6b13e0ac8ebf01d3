import { type Comparison, readNumber, type Unit, units } from '../words/numbers.ts';
import type { Words } from '../words/tokens.ts';
import { readName } from './catalogue-phrases.ts';
import { readMetric } from './metric-phrases.ts';

type Reached = Pick<Comparison, 'limits' | 'length'>;

const reaching =
  /^(?:at|@|for|with|get|gets|getting|gives?|giving|do|does|doing|hit|hits|reach|reaches|achieve|achieves|(?:meet|keep|maintain|sustain)(?:s|ing)?)$/u;

/** Maximum words of the name of a metric before its value. */
const nameMax = 6;

/** "at an interactivity of 30", "with a p99 ttft of 2 s": the value after the name of a metric to reach. */
function readReachedValue(words: Words, at: number): Reached | null {
  const text = (place: number) => words.tokens[place]?.text ?? '';
  const number = /^(?:of|=)$/u.test(text(at)) ? readNumber(text(at + 1)) : null;
  if (number === null || readName('gpu', words, at + 1) !== null) return null;
  const start = Array.from({ length: nameMax }, (_, back) => at - 1 - back).find((place) => {
    const before = /^(?:an?|the)$/u.test(text(place - 1)) ? place - 2 : place - 1;
    return reaching.test(text(before)) && readMetric(words, place)?.length === at - place;
  });
  const family = start === undefined ? undefined : readMetric(words, start)?.metric?.family;
  const unit = units.find(words, at + 2);
  if (family === undefined || (unit === null && family.unit !== 'tok/s')) return null;
  const end = at + 2 + (unit?.length ?? 0);
  const quantity = { number, unit: unit?.value ?? null, start: at + 1, end };
  const side = family.direction === 'lower' ? 'max' : 'min';
  return { limits: [{ side, quantity, isStrict: false }], length: end - at };
}

/** "interactivity 40": people who use this name state the speed of a user directly after it. */
function readInteractivity(words: Words, at: number): Reached | null {
  const text = (place: number) => words.tokens[place]?.text ?? '';
  const number = text(at - 1) === 'interactivity' ? readNumber(text(at)) : null;
  const unit = units.find(words, at + 1);
  if (number === null || readName('gpu', words, at) !== null || (unit !== null && unit.value.of !== 'tok/s'))
    return null;
  const end = at + 1 + (unit?.length ?? 0);
  const quantity = { number, unit: unit?.value ?? null, start: at, end };
  return { limits: [{ side: 'min', quantity, isStrict: false }], length: end - at };
}

/** "at 20 tok/s", "at 50 tok/s/user", "at 20 ms itl", "interactivity 40": a speed or a time to reach. */
export function readReached(words: Words, at: number): Reached | null {
  return readReachedValue(words, at) ?? readReachedNumber(words, at) ?? readInteractivity(words, at);
}

function readReachedNumber(words: Words, at: number): Reached | null {
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
