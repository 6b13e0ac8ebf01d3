import type { FirstResult } from '@inferboard/core/claims/copied-finding';
import { figuresOf } from '@inferboard/core/claims/figures';
import { isSameRun } from '@inferboard/core/claims/same-run';
import type { CheckedResult, Trust } from '@inferboard/core/result';
import { sql } from 'drizzle-orm';
import { bigints } from '../bulk.ts';
import type { Transaction } from '../transaction.ts';
import { metricArray, type StatedRow, storedFigures } from './stated-figures.ts';

/** Newest results of an account at a point that a new one is compared with. */
const comparedMost = 100;

interface OwnRow extends StatedRow {
  id: string;
  submissionId: string;
  pointId: number;
  trust: Trust;
  mode: CheckedResult['load']['mode'];
  level: number | null;
}

/**
 * Which of these results are runs that the account sent before in another form, by their places in the artifact: console
 * text and JSON of one run are one.
 *
 * @param places the points of the results, null for points that are new
 */
export async function findOwnRuns(
  tx: Transaction,
  accountId: string,
  results: readonly CheckedResult[],
  places: readonly (number | null)[],
): Promise<Map<number, FirstResult>> {
  const points = [...new Set(places.filter((id) => id !== null))];
  if (points.length === 0) return new Map();
  const rows = (await tx.execute(sql`
    select r.id, r.submission_id as "submissionId", r.point_id::int as "pointId", r.own_trust as trust, r.definitions,
      r.derived, r.repeats, ${metricArray} as values, p.load_mode as mode, p.load_level as level
    from unnest(${bigints(points)}) as w(id)
    join points p on p.id = w.id
    cross join lateral (
      select * from results r
      where r.point_id = w.id and r.account_id = ${accountId} and r.copy_of is null and r.status <> 'retracted'
      order by r.id desc limit ${comparedMost}) r
    order by r.id`)) as unknown as OwnRow[];
  const stored = rows.map(({ id, submissionId, pointId, trust, mode, level, ...row }) => ({
    ...{ id, submissionId, pointId },
    compared: { key: '', figures: storedFigures(row, { mode, level }), isRecomputed: trust === 'recomputed' },
  }));
  const byPoint = Map.groupBy(stored, ({ pointId }) => pointId);
  const found = new Map<number, FirstResult>();
  for (const [ordinal, result] of results.entries()) {
    const own = { key: '', figures: figuresOf(result), isRecomputed: result.trust === 'recomputed' };
    const first = byPoint.get(places[ordinal] ?? -1)?.find(({ compared }) => isSameRun(compared, own));
    if (first === undefined) continue;
    const { id, submissionId } = first;
    found.set(ordinal, { id, submissionId, isOthers: false, reason: 'same_run' });
  }
  return found;
}
