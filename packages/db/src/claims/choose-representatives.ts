import { sql } from 'drizzle-orm';
import type { Transaction } from '../connection/transaction.ts';
import { bigints } from '../copy/bulk.ts';
import type { ClaimSummary } from '../point-statistics/claim-summary.ts';
import { judgeSummaries } from '../point-statistics/judge.ts';

/** Claims after they were judged against each other. */
export interface JudgedClaims {
  /** Claims about to be stored. */
  touched: ClaimSummary[];
  /** Stored claims that other claims changed. */
  changed: ClaimSummary[];
}

/** The points whose systems specify all facts: two unspecified values may differ. */
async function findFullySpecified(tx: Transaction, pointIds: readonly number[]): Promise<Set<number>> {
  if (pointIds.length === 0) return new Set();
  const rows = (await tx.execute(sql`
    select p.id::int as id from points p join systems s on s.id = p.system_id
    where p.id = any(${bigints(pointIds)})
      and s.model_id is not null and s.gpu_id is not null and s.quantization_id is not null`)) as unknown as {
    id: number;
  }[];
  return new Set(rows.map(({ id }) => id));
}

/** True if judging left a claim unchanged. */
export const isSameJudgement = (a: ClaimSummary, b: ClaimSummary): boolean =>
  a.trust === b.trust &&
  a.stands === b.stands &&
  a.disputed === b.disputed &&
  JSON.stringify(a.replication) === JSON.stringify(b.replication);

/**
 * Judges claims of the same point and status against each other: which one represents the point, and how the others affect its trust.
 *
 * @param touched claims about to be stored
 * @param stored all other claims of their points
 */
export async function chooseRepresentatives(
  tx: Transaction,
  touched: readonly ClaimSummary[],
  stored: readonly ClaimSummary[],
): Promise<JudgedClaims> {
  const groupOf = ({ pointId, status }: ClaimSummary) => `${pointId} ${status}`;
  const groups = [...Map.groupBy([...touched, ...stored], groupOf).values()];
  const shared = groups.filter((of) => of.some(({ account }) => account !== of[0]?.account));
  const specified = await findFullySpecified(
    tx,
    shared.flatMap((of) => of.slice(0, 1).map(({ pointId }) => pointId)),
  );
  const isTouched = new Set(touched);
  const chosen: JudgedClaims = { touched: [], changed: [] };
  for (const of of groups) {
    const judged = of.length === 1 ? of : judgeSummaries(of, specified.has(of[0]?.pointId ?? -1));
    for (const [index, before] of of.entries()) {
      const after = judged[index] ?? before;
      if (isTouched.has(before)) chosen.touched.push(after);
      else if (!isSameJudgement(before, after)) chosen.changed.push(after);
    }
  }
  return chosen;
}

/** Stores which claims represent their points, and updates the trust of results to that of their claims. */
export async function storeRepresentatives(tx: Transaction, { touched, changed }: JudgedClaims): Promise<void> {
  const keyed = (claims: readonly ClaimSummary[]) =>
    JSON.stringify(
      claims.map(({ pointId, status, account, ownTrust, trust, stands, disputed, replication }) => ({
        ...{ point_id: pointId, status, account_id: account, own_trust: ownTrust },
        ...{ trust, stands, disputed, replication },
      })),
    );
  if (changed.length > 0) {
    await tx.execute(sql`
      update point_statistics t set trust = w.trust, stands = w.stands, disputed = w.disputed,
        replication = w.replication, updated_at = now()
      from jsonb_to_recordset(${keyed(changed)}::jsonb)
        as w(point_id bigint, status text, account_id text, own_trust text, trust text, stands bool, disputed bool, replication jsonb)
      where (t.point_id, t.status, t.account_id, t.own_trust) = (w.point_id, w.status, w.account_id, w.own_trust)`);
  }
  const ranked = [...touched, ...changed].filter(({ status }) => status === 'accepted');
  if (ranked.length === 0) return;
  await tx.execute(sql`
    update results r set trust = w.trust
    from jsonb_to_recordset(${keyed(ranked)}::jsonb) as w(point_id bigint, account_id text, own_trust text, trust text)
    where r.point_id = w.point_id and r.account_id = w.account_id and r.status = 'accepted'
      and r.own_trust = w.own_trust and r.copy_of is null and r.trust <> w.trust`);
}
