import { type Claim, comparedMetrics, judgeClaims } from '@inferboard/core/claims/judge-claims';
import type { ClaimSummary } from './claim-summary.ts';

/** What others are compared by. */
export function toClaim({ account, ownTrust, runs, firstResultId, groups }: ClaimSummary): Claim {
  return {
    account,
    ownTrust,
    runs,
    first: firstResultId,
    figures: groups.flatMap(({ definition, figures }) =>
      [...figures]
        .filter(([metric]) => comparedMetrics.has(metric))
        .map(
          ([
            metric,
            {
              statistics: { n, mean, ci95 },
            },
          ]) => ({ metric, definition, n, mean, ci95 }),
        ),
    ),
  };
}

/** Claims of one point and status as they are beside each other: one stands, and trust is that of all together. */
export function besideEachOther(claims: readonly ClaimSummary[], isNamed: boolean): ClaimSummary[] {
  const isRanked = claims[0]?.status === 'accepted';
  // Only claims that rank lend each other trust.
  const { claims: judged, disputed, replication } = judgeClaims(claims.map(toClaim), isNamed && isRanked);
  return claims.map((claim, index) => {
    const { trust = claim.ownTrust, stands = false } = judged[index] ?? {};
    return {
      ...claim,
      trust,
      stands,
      disputed: stands && isRanked && disputed,
      replication: stands ? replication : null,
    };
  });
}
