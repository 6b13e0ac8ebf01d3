import { parseNumber } from '../reading/numbers.ts';
import type { ServingRun } from './serving-run.ts';

/** What bench_serving was asked for. Lengths of every data set have defaults and stand there even when it was another one. */
export interface AskedWorkload {
  dataset: string | null;
  sharegptOutput: number | null;
  randomInput: number | null;
  randomOutput: number | null;
  /** Lengths are drawn from ratio x length to length; null where it is not told. */
  randomRatio: number | null;
}

/** The workload of a run: lengths only where every request has the same. */
export function toWorkload(asked: AskedWorkload): Pick<ServingRun, 'dataset' | 'inputTokens' | 'outputTokens'> {
  const { dataset } = asked;
  if (dataset === 'sharegpt') return { dataset, inputTokens: null, outputTokens: asked.sharegptOutput };
  const isFixed = (dataset === 'random' || dataset === 'random-ids') && asked.randomRatio === 1;
  return {
    dataset,
    inputTokens: isFixed ? asked.randomInput : null,
    outputTokens: isFixed ? asked.randomOutput : null,
  };
}

/** Requests per second as written: a number, `inf`, or `trace`; undefined where it is neither. */
export function toRate(text: string): number | null | 'trace' | undefined {
  if (/^(?:inf|infinity)$/i.test(text)) return null;
  return text === 'trace' ? 'trace' : (parseNumber(text) ?? undefined);
}

/** A cap as written: a number, `not set` or `None`; undefined where it is neither. */
export function toCap(text: string): number | null | undefined {
  if (/^(?:not set|none)$/i.test(text)) return null;
  const cap = parseNumber(text);
  return cap !== null && cap > 0 ? cap : undefined;
}
