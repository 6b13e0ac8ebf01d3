import { type Doubt, figure, roundingOf } from './check.ts';

/** Where a figure may lie. */
export interface Range {
  low: number;
  high: number;
}

/** For the last bits of a double. */
const lastBits = 1e-9;

/**
 * The bounds that a stated figure left: the range it was computed in, widened by a relative tolerance and by the rounding
 * of the figure itself. Null where it kept them.
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

/** A stated rate against the quotient it must equal: `amount / seconds`, within rounding and a relative tolerance. */
export interface RateClaim {
  name: string;
  unit: string;
  stated: number;
  amount: number;
  amountName: string;
  seconds: number;
  tolerance: number;
}

/** One violation if the stated rate is further from the quotient than the rounding of all three figures explains. */
export function checkRate(claim: RateClaim): Doubt[] {
  const { stated, amount, seconds, tolerance } = claim;
  // Rounding only leaves more room.
  if (Math.abs(stated - amount / seconds) <= tolerance * (amount / seconds)) return [];
  // Whatever was rounded away may have pointed either way.
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
        `in ${figure(seconds)} s make ${figure(expected)} ${claim.unit}.`,
      evidence: { metric: claim.name, stated, expected, ...broken },
    },
  ];
}
