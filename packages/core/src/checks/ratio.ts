import { figure, roundingOf, type Verdict } from './check.ts';

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
export function checkRate(claim: RateClaim): Verdict[] {
  const expected = claim.amount / claim.seconds;
  const rounding =
    roundingOf(claim.stated) +
    expected * (roundingOf(claim.seconds) / claim.seconds + roundingOf(claim.amount) / Math.max(claim.amount, 1));
  const allowed = claim.tolerance * expected + rounding;
  if (Math.abs(claim.stated - expected) <= allowed) return [];
  return [
    {
      severity: 'violation',
      message:
        `${claim.name} is stated as ${figure(claim.stated)} ${claim.unit}, but ${figure(claim.amount)} ${claim.amountName} ` +
        `in ${figure(claim.seconds)} s make ${figure(expected)} ${claim.unit}.`,
      evidence: { metric: claim.name, stated: claim.stated, expected, allowed_difference: allowed },
    },
  ];
}
