import { knownTasks } from '../../filters/quality.ts';
import { readComparison, readQuantity, scaled } from '../words/numbers.ts';
import { phraseTable } from '../words/phrases.ts';
import type { Words } from '../words/tokens.ts';
import { readNames } from './catalogue-phrases.ts';
import type { Reading } from './loads.ts';

const tasks = phraseTable(knownTasks.map((task) => [task, task] as const));

const nothingLonger = () => 0;

/** "on gsm8k": the task of a bound, and its end. */
function readTask(words: Words, at: number): { task: string; end: number } | null {
  if (!/^(?:on|in)$/u.test(words.tokens[at]?.text ?? '')) return null;
  const found = tasks.find(words, at + 1);
  return found === null ? null : { task: found.value, end: at + 1 + found.length };
}

/** "within 1 % of bf16 on gsm8k". With `task`, it is named before these words. */
function readWithin(words: Words, at: number, task: string | null = null): Reading | null {
  if (words.tokens[at]?.text !== 'within') return null;
  const quantity = readQuantity(words, at + 1, nothingLonger);
  if (quantity?.unit?.of !== '%' || words.tokens[quantity.end]?.text !== 'of') return null;
  const place = quantity.end + 1;
  const of = readNames(words, place).find(({ kind }) => kind === 'quantization');
  const [quantization] = of?.ids ?? [];
  const end = place + (of?.length ?? 0);
  const asked = task === null ? readTask(words, end) : { task, end };
  if (quantization === undefined || asked === null) return null;
  const below = scaled(quantity.number, -2);
  return below < 0 || below > 1
    ? null
    : {
        facts: [{ filter: 'quality_within', values: [`${asked.task}:${quantization}:${below}`] }],
        length: asked.end - at,
      };
}

/** "at least 75 % on gsm8k", "over 0.75 on gsm8k". */
function readLeast(words: Words, at: number, task: string | null = null): Reading | null {
  const comparison = readComparison(words, at, nothingLonger);
  const [limit, ...others] = comparison?.limits ?? [];
  if (comparison === null || limit === undefined || others.length > 0 || limit.side !== 'min') return null;
  const { number, unit } = limit.quantity;
  if (unit !== null && unit.of !== '%') return null;
  const end = at + comparison.length;
  const asked = task === null ? readTask(words, end) : { task, end };
  const least = scaled(number, unit === null ? 0 : -2);
  if (asked === null || least < 0 || least > 1) return null;
  return { facts: [{ filter: 'min_quality', values: [`${asked.task}:${least}`] }], length: asked.end - at };
}

/** "gsm8k within 1 % of bf16", "gsm8k over 75 %": the task before its bound. */
function readTaskFirst(words: Words, at: number): Reading | null {
  const task = tasks.find(words, at);
  if (task === null) return null;
  const place = at + task.length;
  const bound = readWithin(words, place, task.value) ?? readLeast(words, place, task.value);
  return bound === null ? null : { ...bound, length: bound.length + task.length };
}

/** A bound on the score of a quantization in a known task. */
export const readQuality = (words: Words, at: number): Reading | null =>
  readWithin(words, at) ?? readLeast(words, at) ?? readTaskFirst(words, at);

/** "with at least 75 % on gsm8k", "within 1 % of bf16 on gsm8k": words that parse as a bound. */
export function qualityWords(filter: 'min_quality' | 'quality_within', value: string): string {
  const parts = value.split(':');
  const percent = `${scaled(parts.at(-1) ?? '', 2)} %`;
  return filter === 'min_quality'
    ? `with at least ${percent} on ${parts[0]}`
    : `within ${percent} of ${parts[1]} on ${parts[0]}`;
}
