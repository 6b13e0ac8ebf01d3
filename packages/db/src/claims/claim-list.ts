import { type Claim, compareWithRepresentative, type JudgedClaim } from '@inferboard/core/claims/judge-claims';
import type { ResultStatus } from '@inferboard/core/subjects/result';
import { sql } from 'drizzle-orm';
import type { Queryable } from '../connection/transaction.ts';
import type { ClaimSummary } from '../point-statistics/claim-summary.ts';
import { toClaim } from '../point-statistics/judge.ts';
import type { PackedRow } from '../point-statistics/packed.ts';
import { toClaims } from '../points/point-statistics-read.ts';

/** A claim: one account's results at a point with one kind of evidence, relative to the representative claim. */
export interface ListedClaim extends JudgedClaim {
  account: { id: string; name: string };
  status: ResultStatus;
  runs: number;
  results: number;
  /** Means and rates that claims are compared by. */
  figures: Claim['figures'];
}

/** Key of the claims of one point and status. */
export const pointKey = ({ pointId, status }: { pointId: number; status: ResultStatus }) => `${pointId} ${status}`;

function listPoint(claims: readonly ClaimSummary[], names: ReadonlyMap<string, string>, status: ResultStatus) {
  const standing = claims.find((claim) => claim.status === status && claim.stands);
  const inTime = claims.toSorted((a, b) => (a.firstResultId < b.firstResultId ? -1 : 1));
  const listed = inTime.map((claim): ListedClaim => {
    const compared = toClaim(claim);
    const isBeside = standing !== undefined && claim !== standing;
    return {
      account: { id: claim.account, name: names.get(claim.account) ?? '' },
      ...{ status: claim.status, trust: claim.trust, stands: claim === standing },
      ...{ runs: claim.runs, results: claim.results },
      ...(isBeside ? compareWithRepresentative(compared, toClaim(standing)) : { agreement: null, ratio: null }),
      figures: compared.figures,
    };
  });
  const placeOf = ({ stands, agreement }: ListedClaim) => (stands ? 0 : agreement === 'agreeing' ? 1 : 2);
  return listed.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/**
 * All claims at the points of a system, by `pointKey`: the representative claim, then agreeing claims, then the others. Provisional
 * claims are also listed next to the accepted claims of their point, for information; they do not affect them.
 */
export async function listClaims(db: Queryable, systemId: string): Promise<Map<string, ListedClaim[]>> {
  const rows = (await db.execute(sql`
    select to_jsonb(t) as row, a.name
    from points p join point_statistics t on t.point_id = p.id join accounts a on a.id = t.account_id
    where p.system_id = ${systemId}
    order by t.point_id, t.status, t.account_id, t.own_trust, t.variant`)) as unknown as {
    row: PackedRow;
    name: string;
  }[];
  const names = new Map(rows.map(({ row, name }) => [row.account_id, name]));
  const claims = toClaims(rows);
  const provisional = Map.groupBy(
    claims.filter(({ status }) => status === 'provisional'),
    ({ pointId }) => pointId,
  );
  return new Map(
    [...Map.groupBy(claims, pointKey)].map(([key, own]) => {
      const [{ pointId, status }] = own as [ClaimSummary];
      const beside = status === 'accepted' ? (provisional.get(pointId) ?? []) : [];
      return [key, listPoint([...own, ...beside], names, status)];
    }),
  );
}
