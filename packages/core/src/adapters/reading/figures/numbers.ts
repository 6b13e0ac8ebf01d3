const plain = /^-?(?:\d+|[1-9]\d{0,2}(?:,\d{3})+)(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/;

/**
 * A number as printed in tables and console blocks: `1234.5`, `1,234.50`, `1e-05`. Null for anything else, such as a
 * truncated cell (`1,38…`), a decimal comma or a word.
 */
export function parseNumber(text: string): number | null {
  const trimmed = text.trim();
  if (trimmed.length > 60 || !plain.test(trimmed)) return null;
  const number = Number(trimmed.replaceAll(',', ''));
  return Number.isFinite(number) ? number : null;
}

/** Whether a number has a decimal comma: `32,42`, `6.582,87`, `0,123`. */
export const hasDecimalComma = (text: string): boolean =>
  /^-?\d{1,3}(?:\.?\d{3}){0,6},\d{1,6}\D{0,20}$/.test(text.trim());

export const decimalPointHint = 'Write every number with a decimal point and without separators of thousands.';

/** The texts that tools print for unmeasured values. */
export function isMissing(text: string): boolean {
  return /^(?:|-|--|n\/?a|nan|none|null|-?inf(?:inity)?|not set)$/i.test(text.trim());
}

/**
 * Moves the decimal point: `shiftDecimal(70.1871, 3)` is 70187.1, where multiplication would leave 70187.09999999999.
 */
export function shiftDecimal(value: number, places: number): number {
  const text = String(value);
  const at = text.indexOf('e');
  return at < 0 ? Number(`${text}e${places}`) : Number(`${text.slice(0, at)}e${Number(text.slice(at + 1)) + places}`);
}
