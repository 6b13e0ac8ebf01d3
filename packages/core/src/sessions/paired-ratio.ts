import { signedRankInterval } from '../statistics/intervals/signed-rank.ts';
import { studentT } from '../statistics/intervals/student-t.ts';

/** So high that three figures together call equal servers different in fewer than 5 of 100 sessions. */
export const sessionConfidence = 0.99;
/** Fewer blocks have no interval. */
const blocksLeast = 3;

/** How many times larger a figure of one server is, over the blocks of a session. */
export interface PairedRatio {
  ratio: number;
  /** Ends of the interval at `sessionConfidence`. */
  low: number;
  high: number;
  /** True if the interval excludes 1. */
  differs: boolean;
}

function intervalOf(values: readonly number[]): { centre: number; low: number; high: number } {
  // A pause of the machine lengthens one block many times. With Student's t it would hide a difference of all others.
  const ranked = signedRankInterval(values, sessionConfidence);
  if (ranked !== null) return ranked;
  const n = values.length;
  const centre = values.reduce((sum, value) => sum + value, 0) / n;
  const variance = values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (n - 1);
  const half = studentT(sessionConfidence, n - 1) * Math.sqrt(variance / n);
  return { centre, low: centre - half, high: centre + half };
}

/**
 * The ratio of two servers from the logarithms of the ratios of their blocks: by Wilcoxon's signed-rank interval from eight blocks on, by
 * Student's t below. Null for fewer than three blocks.
 */
export function pairedRatio(logs: readonly number[]): PairedRatio | null {
  if (logs.length < blocksLeast) return null;
  const { centre, low, high } = intervalOf(logs);
  return { ratio: Math.exp(centre), low: Math.exp(low), high: Math.exp(high), differs: low > 0 || high < 0 };
}
