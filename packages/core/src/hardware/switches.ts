const offWords: ReadonlySet<string> = new Set(['', '0', 'off', 'no', 'none', 'false', 'disabled']);

/** True if a feature is on: any stated value except those that mean off. */
export function isOn(value: unknown): boolean {
  if (typeof value === 'string') return !offWords.has(value.trim().toLowerCase());
  return value !== undefined && value !== null && value !== false && value !== 0;
}
