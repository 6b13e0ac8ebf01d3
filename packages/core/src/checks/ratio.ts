import { type Doubt, figure, roundingOf } from './check.ts';

/** Range of possible values of a figure. */
export interface Range {
  low: number;
  high: number;
}

/** Relative tolerance for floating-point error. */
const lastBits = 1e-9;

/**
 * Returns the bounds that a stated figure violates: its computed range, widened by a relative tolerance and the rounding of
 * the figure. Null if the figure is within them.
 */
export function brokenBounds(
  stated: number,
  { low, high }: Range,
  tolerance: number,
  rounding?: number,
): { lower: number; upper: number } | null {
  const least = low * (1 - tolerance);
  const most = high * (1 + tolerance);
  if (stated >= least && stated <= most) return null;
  const slack = (rounding ?? roundingOf(stated)) + lastBits * Math.abs(stated);
  const bounds = { lower: least - slack, upper: most + slack };
  return stated >= bounds.lower && stated <= bounds.upper ? null : bounds;
}

/** A stated rate and the quotient it must equal: `amount / seconds`, within rounding and a relative tolerance. */
export interface RateClaim {
  name: string;
  unit: string;
  stated: number;
  amount: number;
  amountName: string;
  seconds: number;
  tolerance: number;
}

/** Returns one violation if rounding of all three figures does not explain the distance between rate and quotient. */
export function checkRate(claim: RateClaim): Doubt[] {
  const { stated, amount, seconds, tolerance } = claim;
  // Rounding only widens the range.
  if (Math.abs(stated - amount / seconds) <= tolerance * (amount / seconds)) return [];
  // Rounding errors may be in either direction.
  const range = {
    low: (amount - roundingOf(amount)) / (seconds + roundingOf(seconds)),
    high: (amount + roundingOf(amount)) / Math.max(seconds - roundingOf(seconds), Number.MIN_VALUE),
  };
  const broken = brokenBounds(stated, range, tolerance);
  if (broken === null) return [];
  const expected = amount / seconds;
  return [
    {
      severity: 'violation',
      message:
        `${claim.name} is stated as ${figure(stated)} ${claim.unit}, but ${figure(amount)} ${claim.amountName} ` +
        `in ${figure(seconds)} s equal ${figure(expected)} ${claim.unit}.`,
      evidence: { metric: claim.name, stated, expected, ...broken },
    },
  ];
}
