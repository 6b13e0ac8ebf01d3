import { percentileOfSorted, sorted } from '../../statistics/percentile.ts';
import { meanOf } from '../reading/figures/samples.ts';
import type { OptimumPhase } from './report.ts';

/** Steps of a correct report take at most as long as decoding, apart from rounding. */
const rounding = 1.01;

const totalOf = (phase: OptimumPhase): number => (phase.count ?? 0) * (phase.latencyS.get('mean') ?? 0);

/** Whether the steps take longer than decoding. Without a decoding time, they are taken as printed. */
function isRepeated(steps: OptimumPhase, decode: OptimumPhase | null): decode is OptimumPhase {
  return decode !== null && totalOf(decode) > 0 && totalOf(steps) > totalOf(decode) * rounding;
}

/**
 * Tokens per request if the steps of each iteration follow those of all earlier ones: iteration i of n lists
 * T x i - 1 steps, so the list has T x n (n + 1) / 2 - n. Null for any other list.
 */
function tokensOf(steps: OptimumPhase, decode: OptimumPhase): number | null {
  const [count, n] = [steps.count ?? 0, decode.count ?? 0];
  const tokens = (2 * (count + n)) / (n * (n + 1));
  return n > 1 && Number.isInteger(tokens) && tokens > 1 ? tokens : null;
}

/**
 * The decoding steps of a report. Optimum-benchmark does not clear its list of steps between iterations, so a report of
 * several iterations counts early steps many times and the pauses between iterations as steps. The last iteration lists
 * every step once, with one pause after each request. Without the list only the mean is known, from the decoding time.
 * Null if neither is known.
 */
export function ownSteps(steps: OptimumPhase | null, decode: OptimumPhase | null): OptimumPhase | null {
  if (steps === null || !isRepeated(steps, decode)) return steps;
  const tokens = tokensOf(steps, decode);
  const mean = decode.latencyS.get('mean');
  if (tokens === null || mean === undefined) return null;
  const count = (decode.count ?? 0) * (tokens - 1);
  const printed = { ...steps, count, values: null, latencyS: new Map([['mean', mean / (tokens - 1)]]) };
  if (steps.values === null) return printed;
  const last = steps.values.slice(-(tokens * (decode.count ?? 0) - 1));
  const own = sorted(last.filter((_, index) => index % tokens !== tokens - 1));
  const average = meanOf(own);
  const latencyS = new Map([
    ['mean', average],
    ...([50, 90, 95, 99] as const).map((p): [string, number] => [`p${p}`, percentileOfSorted(own, p)]),
    ['stdev', Math.sqrt(meanOf(own.map((value) => (value - average) ** 2)))],
  ]);
  return { ...printed, values: own, latencyS };
}
