import { distance } from 'fastest-levenshtein';

/** The candidate that a mistyped word most likely meant; null if none is near enough to be worth saying. */
export function nearest(word: string, candidates: Iterable<string>): string | null {
  const wanted = word.slice(0, 100).toLowerCase();
  let best: { candidate: string; distance: number } | null = null;
  for (const candidate of candidates) {
    const d = distance(wanted, candidate.toLowerCase());
    if (best === null || d < best.distance) best = { candidate, distance: d };
  }
  if (best === null) return null;
  return best.distance <= Math.max(2, Math.floor(wanted.length / 3)) ? best.candidate : null;
}

/** Letters to insert, delete or replace to make one word of the other. */
export const editDistance = distance;
