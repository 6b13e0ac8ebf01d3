import type { Result } from '../subjects/result.ts';

const sorted = (values: object | undefined | null) => Object.entries(values ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));

/** Two 32-bit FNV-1a hashes with different offsets, as 16 hexadecimal digits. */
function hash(text: string): string {
  let [a, b] = [0x811c9dc5, 0x9e3779b9];
  for (let i = 0; i < text.length; i++) {
    a = Math.imul(a ^ text.charCodeAt(i), 0x01000193);
    b = Math.imul(b ^ text.charCodeAt(i), 0x85ebca6b);
  }
  return [a, b].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
}

/** Identifies a run without a stated load by its figures. The same run sent again gets the same key. */
export function runKey({ metrics, ranges, repeats }: Pick<Result, 'metrics' | 'ranges' | 'repeats'>): string {
  return hash(JSON.stringify([sorted(metrics), sorted(ranges), repeats?.n ?? null, sorted(repeats?.sd)]));
}

/**
 * Adds the run key to a result without a stated load. Its operating point is unknown, so two runs never share one. A
 * training run has no load and keeps its point.
 */
export function withRunOfUnstatedLoad(result: Result): Result {
  if (result.load.mode !== 'unspecified' || result.kind !== 'serving') return result;
  return { ...result, load: { ...result.load, run: runKey(result) } };
}
