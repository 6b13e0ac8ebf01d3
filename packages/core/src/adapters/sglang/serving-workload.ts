import { parseNumber } from '../reading/figures/numbers.ts';
import type { ServingRun } from './serving-run.ts';

/** The requested workload of bench_serving. Lengths have defaults for every data set, including unused ones. */
export interface AskedWorkload {
  dataset: string | null;
  sharegptOutput: number | null;
  randomInput: number | null;
  randomOutput: number | null;
  /** Lengths range from ratio x length to length; null if not stated. */
  randomRatio: number | null;
}

/** The workload of a run. Lengths are set only if all requests have the same. */
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

/** Requests per second as written: a number, `inf`, or `trace`; undefined for anything else. */
export function toRate(text: string): number | null | 'trace' | undefined {
  if (/^(?:inf|infinity)$/i.test(text)) return null;
  return text === 'trace' ? 'trace' : (parseNumber(text) ?? undefined);
}

/** A cap as written: a number, `not set` or `None`; undefined for anything else. */
export function toCap(text: string): number | null | undefined {
  if (/^(?:not set|none)$/i.test(text)) return null;
  const cap = parseNumber(text);
  return cap !== null && cap > 0 ? cap : undefined;
}
