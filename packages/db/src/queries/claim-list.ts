import { besideStanding, type Claim, type JudgedClaim } from '@inferboard/core/claims/judge-claims';
import type { ResultStatus } from '@inferboard/core/result';
import { sql } from 'drizzle-orm';
import type { ClaimSummary } from '../point-statistics/claim-summary.ts';
import { toClaim } from '../point-statistics/judge.ts';
import type { PackedRow } from '../point-statistics/packed.ts';
import type { Queryable } from '../transaction.ts';
import { toClaims } from './point-statistics-read.ts';

/** What one account says of a point with one kind of evidence, beside the claim that stands. */
export interface ListedClaim extends JudgedClaim {
  account: { id: string; name: string };
  status: ResultStatus;
  runs: number;
  results: number;
  /** Means and rates, by which claims are compared. */
  figures: Claim['figures'];
}

/** Names the claims of one point and status. */
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
      ...(isBeside ? besideStanding(compared, toClaim(standing)) : { agreement: null, ratio: null }),
      figures: compared.figures,
    };
  });
  const placeOf = ({ stands, agreement }: ListedClaim) => (stands ? 0 : agreement === 'agreeing' ? 1 : 2);
  return listed.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/**
 * All claims of the points of a system by `pointKey`: the one that stands, those that agree, the others. Provisional claims
 * are listed beside the accepted claims of their point as well: they change nothing there, and readers see that they exist.
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
