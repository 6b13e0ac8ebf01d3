import type { Metrics, Repeats } from '../adapters/adapter.ts';
import type { Load } from '../load.ts';
import { findMetric, type Metric } from '../metrics/index.ts';

/** A figure as an artifact states it, and what comparing it takes. */
export interface Figure {
  /** A metric; `<metric>_repeats_sd` is the deviation that the tool printed among its repetitions. */
  metric: string;
  value: number;
  /** Significant digits as written. The trailing zeros of 7500 and 7.50 do not count: nobody knows who wrote them. */
  digits: number;
  /** Half a unit of the last of them, in the unit of the value. */
  halfUnit: number;
  /** How it answers a clock that runs slow: a time grows, a rate falls. */
  sense: 'time' | 'rate';
  /** What it measures. Figures of one quantity follow from each other, given the tokens that were asked for. */
  quantity: string;
  /** One of those that do not follow from others of the same result. */
  isIndependent: boolean;
}

/** What of a result its figures follow from; a stored row has all of it. */
export interface StatedResult {
  metrics: Metrics;
  definitions: Record<string, string>;
  repeats: Pick<Repeats, 'sd'> | null;
  load: Pick<Load, 'mode' | 'level'>;
}

/** Ends the name of a deviation among repetitions. */
export const repeatsSd = '_repeats_sd';

/** More digits are those of arithmetic: 0.27 s are 270.00000000000006 ms. */
const digitsMost = 14;
/** So many were computed by somebody: by the tool, or by our reader from another figure. */
const digitsComputed = 12;
/** A percentile this near to the mean moves with it. */
const sameShare = 0.05;

const windows = new Set(['duration_s', 'req_s', 'output_tok_s', 'input_tok_s', 'total_tok_s', 'goodput_req_s']);
const quantities: Record<string, string> = {
  ttft_ms_mean: 'prompt',
  prefill_tok_s: 'prompt',
  tpot_ms_mean: 'token',
  itl_ms_mean: 'token',
  decode_tok_s: 'token',
  user_tok_s: 'token',
  e2e_ms_mean: 'request',
  forward_tflop_s: 'forward_ms',
  backward_tflop_s: 'backward_ms',
};

/** True where the run lasts as long as its requests do: they came one at a time, or all as one batch. */
function isOneByOne({ load, definitions }: StatedResult): boolean {
  return (
    load.mode === 'batch' || (load.mode === 'concurrency' && load.level === 1) || definitions.e2e_ms === 'whole_batch'
  );
}

/** Requested quantities and counts are no figures, nor is what we computed. */
function isFigure({ name, family }: Metric): boolean {
  // Two honest evaluations of the same weights may agree to the last digit.
  if (family.derived || family.base === 'requests_failed' || family.kind === 'quality') return false;
  return family.direction !== 'neutral' || name === 'duration_s';
}

const zero = 48;

/** Significant digits of a positive number, without zeros at the end, and the power of ten of the first of them. */
function digitsOf(value: number): { digits: number; exponent: number } {
  const text = value.toExponential(digitsMost - 1);
  // The first digit, a point, and the others.
  let end = digitsMost;
  while (end > 1 && text.charCodeAt(end) === zero) end -= 1;
  return { digits: end, exponent: Number(text.slice(digitsMost + 2)) };
}

function toFigure(metric: string, family: Metric['family'], value: number, quantity: string): Figure {
  const { digits, exponent } = digitsOf(value);
  const halfUnit = 0.5 * 10 ** (exponent - digits + 1);
  const sense = family.unit.endsWith('/s') ? 'rate' : 'time';
  return { metric, value, digits, halfUnit, sense, quantity, isIndependent: false };
}

/** Figures with no more digits than the coarsest they may have been computed from: one of their quantity that was written. */
function withTrueDigits(figures: readonly Figure[]): Figure[] {
  const coarsest = new Map<string, Figure>();
  for (const figure of figures) {
    const known = coarsest.get(figure.quantity);
    if (known === undefined || figure.digits < known.digits) coarsest.set(figure.quantity, figure);
  }
  return figures.map((figure) => {
    const source = coarsest.get(figure.quantity) ?? figure;
    if (figure.digits < digitsComputed || source.digits >= digitsComputed) return figure;
    return { ...figure, digits: source.digits, halfUnit: (source.halfUnit / source.value) * figure.value };
  });
}

const families = new Map<string, string>();

/** ITL and TPOT are two ways to say how fast tokens come. */
function familyOf({ metric }: Figure): string {
  // The names are those of the registry.
  const family = families.get(metric) ?? metric.replace(/^itl_ms/, 'tpot_ms').replace(/_(mean|p\d+|min|max)$/, '');
  families.set(metric, family);
  return family;
}

/**
 * Those of a list that do not follow from others of it: one of each quantity, the one with the most digits; no mean
 * latency that is the sum of the first token and the rest; no percentile that is the mean but for a twentieth.
 */
export function independentOf<F extends Figure>(figures: readonly F[]): F[] {
  const best = new Map<string, F>();
  for (const figure of figures) {
    const known = best.get(figure.quantity);
    if (known === undefined || figure.digits > known.digits) best.set(figure.quantity, figure);
  }
  if (best.has('prompt') && best.has('token')) best.delete('request');
  const kept: F[] = [];
  for (const figure of best.values()) {
    const isNear = (other: F) =>
      familyOf(other) === familyOf(figure) && Math.abs(other.value - figure.value) <= sameShare * other.value;
    if (!kept.some(isNear)) kept.push(figure);
  }
  return kept;
}

/** The figures that a result states and that two runs can be compared by, those marked that follow from no other. */
export function figuresOf(result: StatedResult): Figure[] {
  const window = isOneByOne(result) ? 'request' : 'window';
  const stated: Figure[] = [];
  const add = (name: string, ending: string, value: number | undefined) => {
    const metric = findMetric(name);
    if (metric === null || !isFigure(metric) || value === undefined || !(value > 0)) return;
    const quantity = windows.has(name) ? window : (quantities[name] ?? name);
    stated.push(toFigure(`${name}${ending}`, metric.family, value, ending === '' ? quantity : `${name}${ending}`));
  };
  for (const [name, value] of Object.entries(result.metrics)) add(name, '', value);
  for (const [name, value] of Object.entries(result.repeats?.sd ?? {})) add(name, repeatsSd, value);
  const figures = withTrueDigits(stated);
  const independent = new Set(independentOf(figures));
  return figures.map((figure) => ({ ...figure, isIndependent: independent.has(figure) }));
}
