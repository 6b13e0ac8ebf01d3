import type { Metrics, Repeats } from '../adapters/adapter.ts';
import { findMetric, type Metric } from '../metrics/index.ts';
import type { Load } from '../subjects/load.ts';

/** A figure as stated in an artifact, with the data for comparing it. */
export interface Figure {
  /** A metric. `<metric>_repeats_sd` is the deviation that the tool printed for its repetitions. */
  metric: string;
  value: number;
  /** Significant digits as written. Trailing zeros, as in 7500 and 7.50, do not count, because their origin is unknown. */
  digits: number;
  /** Half a unit of the last digit, in the unit of the value. */
  halfUnit: number;
  /** The effect of a slow clock: a time grows, a rate falls. */
  sense: 'time' | 'rate';
  /** The measured quantity. Given the requested tokens, figures of one quantity follow from each other. */
  quantity: string;
  /** True if it does not follow from other figures of the same result. */
  isIndependent: boolean;
}

/** The parts of a result that determine its figures. A stored row has all of them. */
export interface StatedResult {
  metrics: Metrics;
  definitions: Record<string, string>;
  repeats: Pick<Repeats, 'sd'> | null;
  load: Pick<Load, 'mode' | 'level'>;
}

/** Suffix of a deviation among repetitions. */
export const repeatsSd = '_repeats_sd';

/** More digits are arithmetic noise: 0.27 s is 270.00000000000006 ms. */
const digitsMost = 14;
/** A figure with this many digits was calculated, by the tool or by our parser. */
const digitsComputed = 12;
/** A percentile within this share of the mean is not independent of it. */
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

/** Latencies that follow from the duration of the run. */
const runLatencies: ReadonlySet<string | undefined> = new Set(['whole_batch', 'from_run_start']);

/** True if the latencies follow from the duration of the run: one request at a time, or all submitted at the start. */
function isOneByOne({ load, definitions }: StatedResult): boolean {
  return (
    load.mode === 'batch' || (load.mode === 'concurrency' && load.level === 1) || runLatencies.has(definitions.e2e_ms)
  );
}

/** False for requested quantities, counts and figures that we calculated. */
function isFigure({ name, family }: Metric): boolean {
  // Two honest evaluations of the same weights may agree in all digits.
  if (family.derived || family.base === 'requests_failed' || family.kind === 'quality') return false;
  return family.direction !== 'neutral' || name === 'duration_s';
}

const zero = 48;

/** Returns the significant digits of a positive number without trailing zeros, and the exponent of the first digit. */
function digitsOf(value: number): { digits: number; exponent: number } {
  const text = value.toExponential(digitsMost - 1);
  // The first digit, a point, and the other digits.
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

/**
 * Limits the digits of each figure to those of the coarsest written figure of its quantity, from which it may be calculated.
 */
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

/** ITL and TPOT both measure the speed of tokens. */
function familyOf({ metric }: Figure): string {
  // The registry contains these names.
  const family = families.get(metric) ?? metric.replace(/^itl_ms/, 'tpot_ms').replace(/_(mean|p\d+|min|max)$/, '');
  families.set(metric, family);
  return family;
}

/**
 * Selects figures of a list that do not follow from others of it: the one with the most digits per quantity. Excludes a mean
 * latency that is the sum of TTFT and the rest, and a percentile within 5 % of the mean.
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

/** Returns the comparable figures of a result, and marks the independent ones. */
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
