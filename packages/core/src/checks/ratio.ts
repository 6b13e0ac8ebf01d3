import { type Doubt, figure, roundingOf } from './check.ts';

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
  const expected = amount / seconds;
  // Whatever was rounded away may have pointed either way.
  const least = (amount - roundingOf(amount)) / (seconds + roundingOf(seconds));
  const most = (amount + roundingOf(amount)) / Math.max(seconds - roundingOf(seconds), Number.MIN_VALUE);
  const lower = least * (1 - tolerance) - roundingOf(stated);
  const upper = most * (1 + tolerance) + roundingOf(stated);
  if (stated >= lower && stated <= upper) return [];
  return [
    {
      severity: 'violation',
      message:
        `${claim.name} is stated as ${figure(claim.stated)} ${claim.unit}, but ${figure(claim.amount)} ${claim.amountName} ` +
        `in ${figure(claim.seconds)} s make ${figure(expected)} ${claim.unit}.`,
      evidence: { metric: claim.name, stated, expected, lower, upper },
    },
  ];
}
