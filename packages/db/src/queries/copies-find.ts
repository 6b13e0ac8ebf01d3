import { lookupsOf } from '@inferboard/core/claims/anchors';
import type { FirstResult } from '@inferboard/core/claims/copied-finding';
import { figuresOf } from '@inferboard/core/claims/figures';
import { type ComparedRow, judgeCopy } from '@inferboard/core/claims/judge-copy';
import type { RequestSequence } from '@inferboard/core/records/sequence';
import type { CheckedResult } from '@inferboard/core/result';
import { sql } from 'drizzle-orm';
import { texts } from '../bulk.ts';
import type { Transaction } from '../transaction.ts';
import { sequenceOf } from './request-sequences.ts';
import { modelKey, modelKeyOf, storeAnchors } from './result-anchors.ts';
import { metricArray, type StatedRow, storedFigures } from './stated-figures.ts';

/** Rows of an upload that others are looked up by: a copy of an artifact shares most of them. */
const sampledRows = 16;
/** Results with the nearest figures that are looked at, on each side of each figure. */
const nearestMost = 100;
/** Submissions that are compared, and rows of each. */
const candidatesMost = 40;
const rowsMost = 1000;

/** What is compared with rows of the same model, shape and load. */
const rowKey = (model: string, shape: string, load: { mode: string; level: number | null }) =>
  JSON.stringify([model, shape, load.mode, load.level]);

const toCompared = (result: CheckedResult): ComparedRow => ({
  key: rowKey(modelKeyOf(result), result.scenario.id, result.load),
  figures: figuresOf(result),
  sequence: sequenceOf(result),
});

/** Rows of an artifact, evenly taken. */
function sample<T>(rows: readonly T[]): T[] {
  const step = Math.max(1, Math.ceil(rows.length / sampledRows));
  return rows.filter((_, place) => place % step === 0);
}

/** Submissions of other accounts with results of the same models whose figures are near, those with the most first. */
async function listCandidates(
  tx: Transaction,
  results: readonly CheckedResult[],
  { accountId, before }: { accountId: string; before: string | null },
): Promise<string[]> {
  const lookups = sample(results).flatMap((result) =>
    lookupsOf(result).map((lookup) => ({ ...lookup, model_key: modelKeyOf(result) })),
  );
  if (lookups.length === 0) return [];
  const side = (range: ReturnType<typeof sql>, order: ReturnType<typeof sql>) => sql`
    (select a.result_id from result_anchors a
    where a.model_key = w.model_key and a.metric = w.metric and ${range} order by a.value ${order} limit ${nearestMost})`;
  const rows = (await tx.execute(sql`
    select r.submission_id as id
    from jsonb_to_recordset(${JSON.stringify(lookups)}::jsonb)
      as w(model_key text, metric text, value float8, low float8, high float8)
    cross join lateral (
      ${side(sql`a.value >= w.value and a.value <= w.high`, sql``)} union all
      ${side(sql`a.value < w.value and a.value >= w.low`, sql`desc`)}) near
    join results r on r.id = near.result_id
    where r.account_id <> ${accountId} and r.copy_of is null and r.status in ('accepted', 'provisional', 'quarantined')
      and (${before}::text is null or r.id < ${before})
    group by 1 order by count(*) desc, 1 limit ${candidatesMost}`)) as unknown as { id: string }[];
  return rows.map(({ id }) => id);
}

interface StoredRow extends ComparedRow {
  id: string;
  submissionId: string;
  status: CheckedResult['status'];
}

/** Rows of stored submissions as they are compared, in the order of their artifacts. */
async function readRows(tx: Transaction, submissionIds: readonly string[]): Promise<Map<string, StoredRow[]>> {
  const rows = (await tx.execute(sql`
    select r.id, r.submission_id as "submissionId", r.status, r.definitions, r.derived, r.repeats, ${metricArray} as values,
      p.load_mode as mode, p.load_level as level, sc.name as shape, ${modelKey} as model, q.latencies
    from unnest(${texts(submissionIds)}) as w(id)
    cross join lateral (
      select * from results r where r.submission_id = w.id and r.copy_of is null order by r.ordinal limit ${rowsMost}) r
    join points p on p.id = r.point_id
    join scenarios sc on sc.id = p.scenario_id
    join systems s on s.id = p.system_id
    left join request_sequences q on q.result_id = r.id
    order by r.submission_id, r.ordinal`)) as unknown as (StatedRow & {
    id: string;
    submissionId: string;
    status: CheckedResult['status'];
    mode: CheckedResult['load']['mode'];
    level: number | null;
    shape: string;
    model: string;
    latencies: RequestSequence | null;
  })[];
  const stored = rows.map(
    (row): StoredRow => ({
      ...{ id: row.id, submissionId: row.submissionId, status: row.status },
      key: rowKey(row.model, row.shape, row),
      figures: storedFigures(row, { mode: row.mode, level: row.level }),
      sequence: row.latencies,
    }),
  );
  return Map.groupBy(stored, ({ submissionId }) => submissionId);
}

/** The row that each row of a copy is a copy of: the next of the same key, else the one in the same place. */
function originals(copy: readonly ComparedRow[], first: readonly StoredRow[]): (StoredRow | undefined)[] {
  const byKey = Map.groupBy(first, ({ key }) => key);
  const taken = new Map<string, number>();
  return copy.map(({ key }, place) => {
    const at = taken.get(key) ?? 0;
    taken.set(key, at + 1);
    return byKey.get(key)?.[at] ?? (copy.length === first.length ? first[place] : undefined);
  });
}

/**
 * Which of these results are copies of what another account sent, by their places in the artifact: figures or records too
 * like it, at the same point or at any other of the same model. What is held is compared with what is held too; what ranks
 * is a copy only of what ranks.
 *
 * @param before only results with an earlier id are looked at; null: all
 */
export async function findCopies(
  tx: Transaction,
  results: readonly CheckedResult[],
  account: { accountId: string; before: string | null },
): Promise<Map<number, FirstResult>> {
  const found = new Map<number, FirstResult>();
  const candidates = await listCandidates(tx, results, account);
  if (candidates.length === 0) return found;
  const rows = results.slice(0, rowsMost).map(toCompared);
  const stored = await readRows(tx, candidates);
  for (const id of candidates) {
    const others = stored.get(id) ?? [];
    const judged = judgeCopy(others, rows);
    if (judged === null) continue;
    for (const [ordinal, first] of originals(rows, others).entries()) {
      if (first === undefined || found.has(ordinal)) continue;
      if (results[ordinal]?.status === 'accepted' && first.status !== 'accepted') continue;
      const { reason, evidence } = judged;
      found.set(ordinal, { id: first.id, submissionId: id, isOthers: true, reason, evidence });
    }
  }
  return found;
}

/**
 * The same for stored results of an account that were read again under other names: a copy may have had a model of its own
 * until then. Those that are copies already stay what they are; the others are found by their new names from now on.
 */
export async function findCopiesAgain(
  tx: Transaction,
  accountId: string,
  stored: readonly { id: string; result: CheckedResult }[],
): Promise<Map<string, FirstResult>> {
  const ids = texts(stored.map(({ id }) => id));
  const rows = (await tx.execute(
    sql`select id from results where id = any(${ids}) and copy_of is null order by id`,
  )) as unknown as { id: string }[];
  const free = new Set(rows.map(({ id }) => id));
  const asked = stored.filter(({ id }) => free.has(id));
  const account = { accountId, before: rows[0]?.id ?? null };
  const found = await findCopies(
    tx,
    asked.map(({ result }) => result),
    account,
  );
  const copies = new Map([...found].map(([place, first]) => [asked[place]?.id ?? '', first]));
  const changed = [...copies].map(([id, first]) => ({ id, copy_of: first.id, copy_reason: first.reason }));
  await tx.execute(sql`
    update results r set copy_of = w.copy_of, copy_reason = w.copy_reason
    from jsonb_to_recordset(${JSON.stringify(changed)}::jsonb) as w(id text, copy_of text, copy_reason text)
    where r.id = w.id`);
  await tx.execute(sql`delete from result_anchors where result_id = any(${ids})`);
  await storeAnchors(
    tx,
    asked.filter(({ id }) => !copies.has(id)),
  );
  return copies;
}
