const groups = new Map<number, Intl.NumberFormat>();

/** Digits with thousands separated: 16,634.04. `padded` writes all decimals, else only those that are not zero. */
function fixed(value: number, decimals: number, padded = true): string {
  const key = padded ? decimals : -1 - decimals;
  let format = groups.get(key);
  if (format === undefined) {
    const least = padded ? decimals : 0;
    format = new Intl.NumberFormat('en', { minimumFractionDigits: least, maximumFractionDigits: decimals });
    groups.set(key, format);
  }
  // -0.00 is zero to whoever reads it.
  const text = format.format(value);
  return /^-[0.,]*$/.test(text) ? text.slice(1) : text.replace('-', '−');
}

const perSecond = /\/s$/;

/** Decimals that show `digits` significant digits of a number, at least 0, at most 8. */
function decimalsOf(value: number, digits: number): number {
  if (value === 0) return 0;
  return Math.min(8, Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(value)))));
}

const countUnits: ReadonlySet<string> = new Set(['', 'tok', 'W']);

/** Tools print these with as many digits as they like: a lone "211" must not become "211.00". */
const timeUnits: ReadonlySet<string> = new Set(['ms', 's']);

/**
 * Decimals of a value. Tools print rates with two, and times with as many as they have: a lone time keeps six
 * significant digits, one that scatters four. Small values keep their first digits.
 */
function decimalsFor(value: number, unit: string, scatters: boolean): number {
  if (countUnits.has(unit)) return Number.isInteger(value) ? 0 : 2;
  const size = Math.abs(value);
  if (size >= 100_000) return 0;
  if (perSecond.test(unit) && size >= 1) return 2;
  return Math.max(2, decimalsOf(value, timeUnits.has(unit) && !scatters ? 6 : 4));
}

/** Decimals of a scatter: its value's, and more only where it would else read as none at all. */
function decimalsOfSd(value: number, unit: string, sd: number | null): number {
  const decimals = decimalsFor(value, unit, sd !== null);
  return sd === null ? decimals : Math.max(decimals, decimalsOf(sd, 1));
}

/** "198.06", "16,634.04", "0.463"; null stays null. A mean that scatters keeps its zeros: they are digits. */
export function formatValue(value: number | null | undefined, unit: string, sd: number | null = null): string | null {
  if (value === null || value === undefined || !Number.isFinite(value)) return null;
  return fixed(value, decimalsFor(value, unit, sd !== null), sd !== null || !timeUnits.has(unit));
}

/** A value beside others that matter more: four significant digits are enough. */
export function formatBrief(value: number | null | undefined, unit: string): string | null {
  if (value === null || value === undefined || !Number.isFinite(value)) return null;
  return fixed(value, decimalsFor(value, unit, true), !timeUnits.has(unit));
}

/** "± 0.13"; null where nothing scatters or nobody said. */
export function formatSd(value: number, unit: string, sd: number | null | undefined): string | null {
  if (sd === null || sd === undefined || !Number.isFinite(sd)) return null;
  return `± ${fixed(sd, decimalsOfSd(value, unit, sd))}`;
}

/** "197.74 to 198.38", as fine as the scatter. */
export function formatInterval(
  value: number,
  unit: string,
  interval: readonly [number, number] | null | undefined,
  sd: number | null = null,
): string | null {
  if (interval === null || interval === undefined) return null;
  const decimals = decimalsOfSd(value, unit, sd);
  return `${fixed(interval[0], decimals)} to ${fixed(interval[1], decimals)}`;
}

/** A whole number: 1,048,576. */
export function formatCount(value: number): string {
  return fixed(value, 0);
}

/** A value at an axis, with the digits it has: "0.5", "20", "1,000". */
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

/** "n 3, 95 % 197.73 to 198.39", "n not stated": what a value rests on. */
export function basisText(n: number | null, interval: string | null): string {
  const count = n === null ? 'n not stated' : `n ${n}`;
  return interval === null ? count : `${count}, 95 % ${interval}`;
}
