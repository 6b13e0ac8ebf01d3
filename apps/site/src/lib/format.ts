import { type FormattedFigure, formatFigure, type Scatter } from '@inferboard/core/format/figure';

export { formatDigits, formatFigure, formatWithUnit, type Scatter, withUnit } from '@inferboard/core/format/figure';

const groups = new Map<number, Intl.NumberFormat>();

/** A number with thousands separators: 16,634.04. `padded` writes all decimals; otherwise trailing zeros are removed. */
function fixed(value: number, decimals: number, padded = true): string {
  const key = padded ? decimals : -1 - decimals;
  let format = groups.get(key);
  if (format === undefined) {
    const least = padded ? decimals : 0;
    format = new Intl.NumberFormat('en', { minimumFractionDigits: least, maximumFractionDigits: decimals });
    groups.set(key, format);
  }
  // -0.00 prints as zero.
  const text = format.format(value);
  return /^-[0.,]*$/.test(text) ? text.slice(1) : text.replace('-', '−');
}

/** Decimals that show `digits` significant digits of a number, at least 0, at most 8. */
function decimalsOf(value: number, digits: number): number {
  if (value === 0) return 0;
  return Math.min(8, Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(value)))));
}

const numberWith = ({ number, unit: shown }: FormattedFigure, unit: string) =>
  shown === unit ? number : `${number} ${shown}`;

/**
 * "198.06", "16,630", "0.463": the number of a value, for a table whose heading has the unit. A long time is in seconds and
 * states the unit. Null stays null.
 */
export function formatValue(value: number | null | undefined, unit: string, scatter?: Scatter): string | null {
  const figure = formatFigure(value, unit, scatter);
  return figure === null ? null : numberWith(figure, unit);
}

/**
 * The unit of all values below a heading, for the functions of this file: times of any length stay in milliseconds, so that the
 * numbers of a column can be compared.
 */
export const columnUnit = (unit: string): string => (unit === 'ms' ? 'ms of a column' : unit);

/** "± 0.13", in the unit of the value; null if the scatter is zero or unknown. */
export function formatSd(value: number, unit: string, scatter: Scatter): string | null {
  return formatFigure(value, unit, scatter)?.sd ?? null;
}

/** "197.74 to 198.38", in the unit and precision of the value. */
export function formatInterval(
  value: number,
  unit: string,
  interval: readonly [number, number] | null | undefined,
  scatter: Scatter = { ci95: interval },
): string | null {
  return formatFigure(value, unit, scatter, interval)?.interval ?? null;
}

/** "1.451×" with its interval, to the same precision. */
export function formatRatio(ratio: number | null, interval: readonly [number, number] | null) {
  const figure = formatFigure(ratio, '×', { ci95: interval });
  return { text: figure && `${figure.number}×`, interval: figure?.interval ?? null };
}

/** A whole number: 1,048,576. */
export function formatCount(value: number): string {
  return fixed(value, 0);
}

/** An axis value with its significant digits: "0.5", "20", "1,000". */
export function formatTick(value: number): string {
  return fixed(value, decimalsOf(value, 6), false);
}

/** A fraction as percent with two significant digits: "15 %", "0.07 %". */
export function formatPercent(fraction: number | null | undefined): string | null {
  if (fraction === null || fraction === undefined || !Number.isFinite(fraction)) return null;
  const percent = fraction * 100;
  return `${fixed(percent, Math.min(3, decimalsOf(percent, 2)))} %`;
}

/** "1,024 bytes", "44.7 KiB", "3.2 MiB". */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${fixed(bytes, 0)} ${bytes === 1 ? 'byte' : 'bytes'}`;
  const kib = bytes / 1024;
  return kib < 1024 ? `${fixed(kib, 1)} KiB` : `${fixed(kib / 1024, 1)} MiB`;
}

/** "21 Nov 2026, 12:00 UTC" of an RFC 3339 time. */
export function formatTime(time: string): string {
  const date = new Date(time);
  const day = date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });
  return `${day}, ${date.toISOString().slice(11, 16)} UTC`;
}

/** "3 results", "1 result". */
export function formatPlural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** "n 3, 95 % 197.73 to 198.39", "n not stated": the statistics of a value. */
export function basisText(n: number | null, interval: string | null): string {
  const count = n === null ? 'n not stated' : `n ${n}`;
  return interval === null ? count : `${count}, 95 % ${interval}`;
}
