const offWords: ReadonlySet<string> = new Set(['', '0', 'off', 'no', 'none', 'false', 'disabled']);

/** True if a feature is switched on: whatever is stated, but for the ways to say that it is not. */
export function isOn(value: unknown): boolean {
  if (typeof value === 'string') return !offWords.has(value.trim().toLowerCase());
  return value !== undefined && value !== null && value !== false && value !== 0;
}
