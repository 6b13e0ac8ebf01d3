import { type Claim, comparedMetrics, judgeClaims } from '@inferboard/core/claims/judge-claims';
import type { ClaimSummary } from './claim-summary.ts';

/** The fields that claims are compared by. */
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

/** Judges claims of one point and status against each other: selects the representative claim and sets the trust. */
export function judgeSummaries(claims: readonly ClaimSummary[], isNamed: boolean): ClaimSummary[] {
  const isRanked = claims[0]?.status === 'accepted';
  // Only ranked claims affect each other's trust.
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
