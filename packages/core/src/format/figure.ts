/** The known scatter of a value: its 95 % interval, else a standard deviation. */
export interface Scatter {
  ci95?: readonly [number, number] | null | undefined;
  sd?: number | null | undefined;
}

/** A value formatted for pages and sentences. */
export interface FormattedFigure {
  /** "198.06", "16,630". */
  number: string;
  /** The unit of the number: "s" for a time in milliseconds from 10,000 up. */
  unit: string;
  /** "± 0.13"; null if there is no scatter or it is unknown. */
  sd: string | null;
  /** "197.74 to 198.38"; null without an interval. */
  interval: string | null;
}

/** Significant digits of a value without a known scatter. */
const loneDigits = 4;
/** Significant digits of half an interval. More digits have no meaning for the value. */
const scatterDigits = 2;
/** The precision of a double. */
const digitsMax = 15;
/** Times in milliseconds from here up are written in seconds. Half a unit less would round to it. */
const secondsFrom_ms = 9999.5;

/** Counts are exact, so all digits are written. */
const countUnits: ReadonlySet<string> = new Set(['', 'tok', 'requests', 'W', 'bytes']);

/** Maximum decimals of a number format. */
const decimalsMax = 20;

const formats = new Map<string, Intl.NumberFormat>();

/**
 * Formats a number with the given decimals; negative decimals round to tens and hundreds. `padded` writes trailing zeros.
 */
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

/** The position of the first digit: 2 for 198.06, 0 for 1.5, -2 for 0.012. If rounding adds a digit, the higher position. */
function magnitudeOf(value: number, digits: number): number {
  if (value === 0 || !Number.isFinite(value)) return 0;
  return Number(
    Math.abs(value)
      .toExponential(digits - 1)
      .split('e')[1],
  );
}

const decimalsFor = (value: number, digits: number) => digits - 1 - magnitudeOf(value, digits);

/** Half of an interval, or the distance from the value to its one end. */
function halfOf(value: number, [low, high]: readonly [number, number]): number {
  if (Number.isFinite(low) && Number.isFinite(high)) return high / 2 - low / 2;
  return Math.abs(value - (Number.isFinite(low) ? low : high));
}

const isWidth = (half: number | null | undefined): half is number => Number.isFinite(half) && (half ?? 0) > 0;

/** Decimals of a number as stated or calculated. */
function ownDecimals(value: number): number {
  const [digits = '', exponent = '0'] = String(value).split('e');
  return Math.max(0, (digits.split('.')[1]?.length ?? 0) - Number(exponent));
}

/** Half of the interval, else the standard deviation, with the maximum decimals; null if neither is known. */
function widthOf(value: number, { ci95, sd }: Scatter): { half: number; decimalsMost: number } | null {
  const half = ci95 == null ? null : halfOf(value, ci95);
  if (isWidth(half)) return { half, decimalsMost: Number.POSITIVE_INFINITY };
  // A value rounded by its tool, such as 279.04 ± 0.06, has no further digits.
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
  // Even a wide interval must not round the value to zero.
  const least = value === 0 ? Number.NEGATIVE_INFINITY : decimalsFor(scaled, scatterDigits);
  const decimals = Math.max(decimalsFor(width.half * factor, scatterDigits), least);
  const stated = width.decimalsMost - Math.round(Math.log10(factor));
  return { factor, unit: shownUnit, decimals: Math.min(decimals, most, stated), padded: true };
}

/** "197.74 to 198.38". If the interval of a positive quantity reaches zero, only the upper end is written. */
function intervalText(
  value: number,
  interval: readonly [number, number],
  { factor, decimals, padded }: Style,
): string | null {
  const [low, high] = interval;
  if (Number.isNaN(low) || Number.isNaN(high)) return null;
  const end = (one: number) => fixed(one * factor, decimals, padded);
  const hasLow = Number.isFinite(low) && (low > 0 || value <= 0);
  if (!hasLow) return Number.isFinite(high) ? `up to ${end(high)}` : null;
  return Number.isFinite(high) ? `${end(low)} to ${end(high)}` : `${end(low)} or more`;
}

/**
 * Formats a value with its meaningful digits. They extend to the second significant digit of half its 95 % interval, or of
 * its standard deviation if it has no interval. Uses four significant digits without a known scatter. Null without a value.
 *
 * @param range printed as the interval instead of `scatter`'s, with the digits that `scatter` gives the value
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
  // A deviation below the value's last digit would otherwise print as zero.
  const ofSd = (one: number) => (one === 0 ? decimals : Math.max(decimals, decimalsFor(one, 1)));
  return {
    number: fixed(value * factor, decimals, padded),
    unit: style.unit,
    sd: sd === null || !Number.isFinite(sd) ? null : `± ${fixed(sd * factor, ofSd(sd * factor), padded)}`,
    interval: range == null ? null : intervalText(value, range, style),
  };
}

/** A formatted number with its unit: "198.06 tok/s", "$0.31", "0.463". A dollar sign precedes its number. */
export const withUnit = (number: string, unit: string): string =>
  unit === '$' ? `$${number}` : `${number} ${unit}`.trimEnd();

/** Formats a value with its unit for a sentence: "198.06 tok/s", "12.3 s". */
export function formatWithUnit(value: number, unit: string, scatter: Scatter = {}): string {
  const figure = formatFigure(value, unit, scatter);
  return figure === null ? 'no value' : withUnit(figure.number, figure.unit);
}

/** Formats a number without a unit, such as a ratio or a percentage, with at most the given significant digits. */
export function formatDigits(value: number, digits: number): string {
  return fixed(value, Math.min(decimalsFor(value, digits), digitsMax), false);
}
