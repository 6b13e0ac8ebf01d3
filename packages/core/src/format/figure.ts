/** What is known of how a value scatters: its 95 % interval, or else a standard deviation. */
export interface Scatter {
  ci95?: readonly [number, number] | null | undefined;
  sd?: number | null | undefined;
}

/** A value as pages and sentences print it. */
export interface FormattedFigure {
  /** "198.06", "16,630". */
  number: string;
  /** The unit of the number: "s" of a time in milliseconds from 10,000 on. */
  unit: string;
  /** "± 0.13"; null where nothing scatters or nobody stated how much. */
  sd: string | null;
  /** "197.74 to 198.38"; null without an interval. */
  interval: string | null;
}

/** Significant digits of a value of which no scatter is known. */
const loneDigits = 4;
/** Significant digits of half an interval: more of them say nothing about the value. */
const scatterDigits = 2;
/** A double has no more to say. */
const digitsMax = 15;
/** From here on a time in milliseconds is written in seconds; half a unit less would be rounded to it. */
const secondsFrom_ms = 9999.5;

/** Counts are exact: all of their digits are written. */
const countUnits: ReadonlySet<string> = new Set(['', 'tok', 'requests', 'W', 'bytes']);

/** Decimals that a number format takes at most. */
const decimalsMax = 20;

const formats = new Map<string, Intl.NumberFormat>();

/** A number rounded to so many decimals, below 0 to tens and hundreds. `padded` writes zeros at the end. */
function fixed(value: number, decimals: number, padded: boolean): string {
  const shown = Math.min(decimalsMax, Math.max(0, decimals));
  const key = `${shown} ${padded}`;
  let format = formats.get(key);
  if (format === undefined) {
    format = new Intl.NumberFormat('en', { minimumFractionDigits: padded ? shown : 0, maximumFractionDigits: shown });
    formats.set(key, format);
  }
  const step = 10 ** -Math.min(0, decimals);
  const text = format.format(step === 1 ? value : Math.round(value / step) * step);
  // "-0" is zero.
  return /^-[0.,]*$/.test(text) ? text.slice(1) : text.replace('-', '−');
}

/** The place of the first digit: 2 of 198.06, 0 of 1.5, -2 of 0.012. Of a value that is rounded up to it, the higher one. */
function magnitudeOf(value: number, digits: number): number {
  if (value === 0 || !Number.isFinite(value)) return 0;
  return Number(
    Math.abs(value)
      .toExponential(digits - 1)
      .split('e')[1],
  );
}

const decimalsFor = (value: number, digits: number) => digits - 1 - magnitudeOf(value, digits);

/** Half of an interval, or its one end's distance from the value. */
function halfOf(value: number, [low, high]: readonly [number, number]): number {
  if (Number.isFinite(low) && Number.isFinite(high)) return high / 2 - low / 2;
  return Math.abs(value - (Number.isFinite(low) ? low : high));
}

const isWidth = (half: number | null | undefined): half is number => Number.isFinite(half) && (half ?? 0) > 0;

/** Decimals that a number has, as it was stated or computed. */
function ownDecimals(value: number): number {
  const [digits = '', exponent = '0'] = String(value).split('e');
  return Math.max(0, (digits.split('.')[1]?.length ?? 0) - Number(exponent));
}

/** Half of the interval, or else the standard deviation, and the decimals that may be written; null where neither is known. */
function widthOf(value: number, { ci95, sd }: Scatter): { half: number; decimalsMost: number } | null {
  const half = ci95 == null ? null : halfOf(value, ci95);
  if (isWidth(half)) return { half, decimalsMost: Number.POSITIVE_INFINITY };
  // What a tool rounded, as 279.04 ± 0.06, has no digits beyond.
  return isWidth(sd) ? { half: sd, decimalsMost: Math.max(ownDecimals(value), ownDecimals(sd)) } : null;
}

interface Style {
  factor: number;
  unit: string;
  decimals: number;
  padded: boolean;
}

function styleOf(value: number, unit: string, scatter: Scatter): Style {
  const [factor, shownUnit] = unit === 'ms' && Math.abs(value) >= secondsFrom_ms ? [1e-3, 's'] : [1, unit];
  const scaled = value * factor;
  const width = widthOf(value, scatter);
  const most = decimalsFor(scaled, digitsMax);
  if (width === null) {
    const isCount = countUnits.has(unit) && Number.isInteger(value);
    const decimals = isCount ? 0 : decimalsFor(scaled, loneDigits);
    return { factor, unit: shownUnit, decimals: Math.min(decimals, most), padded: false };
  }
  // However wide the interval: the value itself is not rounded away.
  const least = value === 0 ? Number.NEGATIVE_INFINITY : decimalsFor(scaled, scatterDigits);
  const decimals = Math.max(decimalsFor(width.half * factor, scatterDigits), least);
  const stated = width.decimalsMost - Math.round(Math.log10(factor));
  return { factor, unit: shownUnit, decimals: Math.min(decimals, most, stated), padded: true };
}

/** "197.74 to 198.38". An interval of a positive quantity that leaves its domain is written by the end that it has. */
function intervalText(
  value: number,
  interval: readonly [number, number],
  { factor, decimals, padded }: Style,
): string | null {
  const [low, high] = interval;
  if (Number.isNaN(low) || Number.isNaN(high)) return null;
  const end = (one: number) => fixed(one * factor, decimals, padded);
  const hasLow = Number.isFinite(low) && (low >= 0 || value <= 0);
  if (!hasLow) return Number.isFinite(high) ? `up to ${end(high)}` : null;
  return Number.isFinite(high) ? `${end(low)} to ${end(high)}` : `${end(low)} or more`;
}

/**
 * A value with as many digits as it deserves: down to the second significant digit of half its 95 % interval (of its standard
 * deviation where it has none), or four significant digits where no scatter is known. Null where there is no value.
 *
 * @param range written as the interval in place of that of `scatter`, with the digits that this gives the value
 */
export function formatFigure(
  value: number | null | undefined,
  unit: string,
  scatter: Scatter = {},
  range: readonly [number, number] | null | undefined = scatter.ci95,
): FormattedFigure | null {
  if (value === null || value === undefined || !Number.isFinite(value)) return null;
  const style = styleOf(value, unit, scatter);
  const { factor, decimals, padded } = style;
  const sd = scatter.sd ?? null;
  // A deviation that is none of the value's digits would else read as none at all.
  const ofSd = (one: number) => (one === 0 ? decimals : Math.max(decimals, decimalsFor(one, 1)));
  return {
    number: fixed(value * factor, decimals, padded),
    unit: style.unit,
    sd: sd === null || !Number.isFinite(sd) ? null : `± ${fixed(sd * factor, ofSd(sd * factor), padded)}`,
    interval: range == null ? null : intervalText(value, range, style),
  };
}

/** "198.06 tok/s", "12.3 s": a value with its unit, in a sentence. */
export function formatWithUnit(value: number, unit: string, scatter: Scatter = {}): string {
  const figure = formatFigure(value, unit, scatter);
  return figure === null ? 'no value' : `${figure.number} ${figure.unit}`.trimEnd();
}

/** A number without a unit of its own, such as a ratio or a share in percent: at most so many significant digits. */
export function formatDigits(value: number, digits: number): string {
  return fixed(value, Math.min(decimalsFor(value, digits), digitsMax), false);
}
