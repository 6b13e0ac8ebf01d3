import type { Repeats } from '@inferboard/core/adapters/adapter';
import type { FirstResult } from '@inferboard/core/claims/copied-finding';
import { type Figure, figuresOf } from '@inferboard/core/claims/figures';
import { isSameRun } from '@inferboard/core/claims/same-run';
import { type ResultStatus, resultStatuses } from '@inferboard/core/subjects/result';
import { sql } from 'drizzle-orm';
import type { LoadColumns } from '../boards/lists/row-types.ts';
import { prepared, value } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import { wordArray } from '../copy/bulk.ts';
import { newestMost } from '../point-statistics/claim-summary.ts';
import { type Contribution, toContribution } from '../point-statistics/contribution.ts';
import { metricArray, readMetrics, storedFigures } from '../points/stated-figures.ts';
import type { NewResult } from './new-result.ts';

/** An account's earlier result at the point of a new one. */
export interface RecentResult {
  id: string;
  submissionId: string;
  contribution: Contribution;
  figures: () => readonly Figure[];
}

interface RecentRow extends Omit<Contribution, 'values' | 'repeats'> {
  repeats: Repeats | null;
  submissionId: string;
  values: (number | null)[];
  mode: LoadColumns['load_mode'];
  level: number | null;
}

const compared = sql.raw(`'${wordArray(resultStatuses.filter((status) => status !== 'retracted'))}'::text[]`);

// One subquery per status: the index keeps the newest results of one status adjacent.
const readRecent = prepared<{ places: string }, RecentRow>(sql`
  select r.id, r.submission_id as "submissionId", r.point_id::int as "pointId", r.account_id as account, r.status, r.tool,
    r.own_trust as "ownTrust", r.definitions, r.derived, r.repeats, ${metricArray} as values,
    r.load_mode as mode, r.load_level as level
  from jsonb_to_recordset(${value('places')}::jsonb) as w(point_id bigint, account_id text, after text, known text[])
  cross join lateral (
    select own.*, p.load_mode, p.load_level from points p cross join unnest(${compared}) as s(status)
    cross join lateral (
      select * from results r
      where r.point_id = w.point_id and r.account_id = w.account_id and r.status = s.status and r.copy_of is null
        and r.id > w.after and r.id <> all(w.known)
      order by r.id desc limit ${sql.raw(String(newestMost))}) own
    where p.id = w.point_id
    order by own.id desc limit ${sql.raw(String(newestMost))}) r
  order by r.id`);

/** Computes a value on first use. */
function once<T>(compute: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: compute() };
    return made.value;
  };
}

/** Rows of earlier releases may lack some fields. */
const toRepeats = (repeats: Repeats | null): Contribution['repeats'] =>
  repeats && { n: repeats.n ?? null, sd: repeats.sd, samples: repeats.samples ?? null };

const ofRow = ({ submissionId, mode, level, values, ...row }: RecentRow): RecentResult => ({
  id: row.id,
  submissionId,
  contribution: { ...row, repeats: toRepeats(row.repeats), values: [readMetrics(values)] },
  figures: once(() => storedFigures({ ...row, values }, { mode, level })),
});

/** Converts a new result to the form in which later ones find it. */
export function asRecent({ id, submissionId, accountId, place, result }: NewResult): RecentResult {
  // Drops the request records, which are large.
  const { metrics, definitions, repeats, load } = result;
  return {
    id,
    submissionId,
    contribution: toContribution(result, { id, pointId: place.id, account: accountId }),
    figures: once(() => figuresOf({ metrics, definitions, repeats, load })),
  };
}

/**
 * The newest results that accounts have at points, oldest first, without copies and retracted ones. With an id, only later
 * ones; with known ids, only other ones.
 */
export async function listRecent(
  tx: Transaction,
  places: readonly { pointId: number; account: string; after?: string; known?: readonly string[] }[],
): Promise<RecentResult[]> {
  const asked = places.map(({ pointId, account, after = '', known = [] }) => ({
    ...{ point_id: pointId, account_id: account },
    ...{ after, known },
  }));
  return (await readRecent(tx, { places: JSON.stringify(asked) })).map(ofRow);
}

/**
 * The first of an account's results at a point that the new one repeats in another form. Console text and JSON of one run are
 * the same run.
 */
export function findSameRun(
  recent: readonly RecentResult[],
  { result }: Pick<NewResult, 'result'>,
): FirstResult | null {
  if (recent.length === 0) return null;
  const own = { key: '', figures: figuresOf(result), isRecomputed: result.trust === 'recomputed' };
  const first = recent.find(({ contribution: { ownTrust }, figures }) =>
    isSameRun({ key: '', figures: figures(), isRecomputed: ownTrust === 'recomputed' }, own),
  );
  if (first === undefined) return null;
  return { id: first.id, submissionId: first.submissionId, isOthers: false, reason: 'same_run' };
}

/** True for results that later ones are compared with. */
export const isCompared = (status: ResultStatus): boolean => status !== 'retracted';
