import type { Result } from '../result.ts';

const sorted = (values: object | undefined | null) => Object.entries(values ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));

/** Two FNV-1a hashes of 32 bits, from different starts, as 16 hexadecimal digits. */
function hash(text: string): string {
  let [a, b] = [0x811c9dc5, 0x9e3779b9];
  for (let i = 0; i < text.length; i++) {
    a = Math.imul(a ^ text.charCodeAt(i), 0x01000193);
    b = Math.imul(b ^ text.charCodeAt(i), 0x85ebca6b);
  }
  return [a, b].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
}

/** What tells a run from others where nobody stated its load: its figures. The same run sent again has the same. */
export function runKey({ metrics, ranges, repeats }: Pick<Result, 'metrics' | 'ranges' | 'repeats'>): string {
  return hash(JSON.stringify([sorted(metrics), sorted(ranges), repeats?.n ?? null, sorted(repeats?.sd)]));
}

/**
 * A result of which nobody stated the load, with its run in place of it: the operating point is unknown, so no two runs
 * share one. A training run has no load to state, and keeps its point.
 */
export function withRunOfUnstatedLoad(result: Result): Result {
  if (result.load.mode !== 'unspecified' || result.kind !== 'serving') return result;
  return { ...result, load: { ...result.load, run: runKey(result) } };
}
