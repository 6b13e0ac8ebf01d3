import { type LevelState, meanOf } from './levels.ts';

/** Logarithm of the ratio at a load, and its standard error. */
export interface Fitted {
  log: number;
  error: number;
}

/** A line through the points near the limit, in logarithms of load and ratio. */
export interface Line {
  /** The load at which the ratio is 1. */
  crossing: number;
  /** Null for a load that is too far away. */
  at(level: number): Fitted | null;
}

/** Loads within this factor of the crossing. The curve is almost straight there. */
const width = Math.log(1.1);
const levelsLeast = 3;
const pointsLeast = 4;
/** The weight of the noise of repetitions, in points. */
const noiseWeight = 2;
/** If the points deviate from the line by more than this many times their noise, the curve bends. */
const deviationMost = 1.5;

/**
 * Fits a line through the fine points near a crossing, by least squares. All of them then help to judge each load. Null if there
 * are too few points, or if they are not on a line.
 *
 * @param noise standard deviation of the logarithm of a ratio between repetitions
 */
export function lineThrough(levels: readonly LevelState[], near: number, noise: number): Line | null {
  const isNear = (level: number) => Math.abs(Math.log(level / near)) <= width;
  const used = levels.filter(({ fine, level }) => fine > 0 && isNear(level));
  const points = used.flatMap(({ level, logs }) => logs.map((log) => [Math.log(level / near), log] as const));
  const n = points.length;
  if (used.length < levelsLeast || n < pointsLeast) return null;
  const meanX = meanOf(points.map(([x]) => x));
  const meanY = meanOf(points.map(([, y]) => y));
  const squaresX = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  const slope = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) / squaresX;
  const fit = (x: number) => meanY + slope * (x - meanX);
  const deviations = points.reduce((sum, [x, y]) => sum + (y - fit(x)) ** 2, 0);
  if (slope <= 0 || Math.sqrt(deviations / (n - 2)) > deviationMost * noise) return null;
  const spread = Math.sqrt((noiseWeight * noise ** 2 + deviations) / (noiseWeight + n - 2));
  return {
    crossing: near * Math.exp(meanX - meanY / slope),
    at: (level) => {
      if (!isNear(level)) return null;
      const x = Math.log(level / near);
      return { log: fit(x), error: spread * Math.sqrt(1 / n + (x - meanX) ** 2 / squaresX) };
    },
  };
}
