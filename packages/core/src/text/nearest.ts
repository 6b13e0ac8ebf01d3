import { distance } from 'fastest-levenshtein';

/** Returns the candidate that a misspelled word most likely means; null if none is close enough to suggest. */
export function nearest(word: string, candidates: Iterable<string>): string | null {
  const wanted = word.slice(0, 100).toLowerCase();
  let best: { candidate: string; distance: number } | null = null;
  for (const candidate of candidates) {
    const d = distance(wanted, candidate.toLowerCase());
    if (best === null || d < best.distance) best = { candidate, distance: d };
  }
  // Words without a common letter are not similar.
  if (best === null || best.distance >= wanted.length) return null;
  return best.distance <= Math.max(2, Math.floor(wanted.length / 3)) ? best.candidate : null;
}

/** The same. For a word without a similar candidate, the first one that begins with it, such as `ttft_ms` for "ttft". */
export function nearestOrLonger(word: string, candidates: readonly string[]): string | null {
  const begins = (candidate: string) => word.length > 2 && candidate.toLowerCase().startsWith(word.toLowerCase());
  return nearest(word, candidates) ?? candidates.find(begins) ?? null;
}

/** Number of letters to insert, delete or replace to change one word into the other. */
export const editDistance = distance;
