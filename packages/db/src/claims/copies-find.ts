import { lookupsOf } from '@inferboard/core/claims/anchors';
import type { FirstResult } from '@inferboard/core/claims/copied-finding';
import { figuresOf } from '@inferboard/core/claims/figures';
import { type ComparedRow, judgeCopy } from '@inferboard/core/claims/judge-copy';
import type { RequestSequence } from '@inferboard/core/records/sequence';
import type { CheckedResult } from '@inferboard/core/subjects/result';
import { type SQL, sql } from 'drizzle-orm';
import { prepared, value } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import { idArray, texts, wordArray } from '../copy/bulk.ts';
import { metricArray, type StatedRow, storedFigures } from '../points/stated-figures.ts';
import { sequenceOf } from '../service/request-sequences.ts';
import { modelKey, modelKeyOf, storeAnchors } from '../submissions/result-anchors.ts';

/** Sampled rows of an upload that candidates are looked up by. A copy of an artifact shares most of them. */
const sampledRows = 16;
/** Results with the nearest values to inspect, on each side of each value. */
const nearestMost = 100;
/** Maximum submissions to compare, and maximum rows of each. */
const candidatesMost = 40;
const rowsMost = 1000;

/** Rows are compared if model, shape and load are equal. */
const rowKey = (model: string, shape: string, load: { mode: string; level: number | null }) =>
  JSON.stringify([model, shape, load.mode, load.level]);

const toCompared = (result: CheckedResult): ComparedRow => ({
  key: rowKey(modelKeyOf(result), result.scenario.id, result.load),
  figures: figuresOf(result),
  sequence: sequenceOf(result),
});

/** Samples rows of an artifact evenly. */
function sample<T>(rows: readonly T[]): T[] {
  const step = Math.max(1, Math.ceil(rows.length / sampledRows));
  return rows.filter((_, place) => place % step === 0);
}

/** Results of one account that are inspected together. */
export interface Suspects {
  accountId: string;
  results: readonly CheckedResult[];
}

const side = (range: SQL, order: SQL) => sql`
  (select a.result_id, a.account_id from result_anchors a
  where a.model_key = w.model_key and a.metric = w.metric and ${range}
  order by a.value ${order} limit ${sql.raw(String(nearestMost))})`;

// Uploads in one batch are close to the same results, so each of those is read once.
const selectCandidates = prepared<
  { lookups: string; before: string | null },
  { upload: number; id: string; place: number }
>(sql`
  select * from (
    select upload, id, (row_number() over (partition by upload order by hits desc, id))::int as place
    from (
      select by.upload, r.submission_id as id, count(*) as hits
      from (
        select near.result_id, w.account_id, array_agg(w.upload) as uploads
        from jsonb_to_recordset(${value('lookups')}::jsonb)
          as w(upload int, account_id text, model_key text, metric text, value float8, low float8, high float8)
        cross join lateral (
          ${side(sql`a.value >= w.value and a.value <= w.high`, sql``)} union all
          ${side(sql`a.value < w.value and a.value >= w.low`, sql`desc`)}) near
        where near.account_id is distinct from w.account_id
        group by 1, 2) near
      cross join lateral (
        select submission_id from results r
        where r.id = near.result_id and r.account_id <> near.account_id and r.copy_of is null
          and r.status in ('accepted', 'provisional', 'quarantined')
          and (${value('before')}::text is null or r.id < ${value('before')}::text) offset 0) r
      cross join lateral unnest(near.uploads) as by(upload)
      group by 1, 2) found) ranked
  where place <= ${sql.raw(String(candidatesMost))}
  order by upload, place`);

/** Submissions that uploads may be copies of, by the index of the upload. */
export type Candidates = ReadonlyMap<number, readonly string[]>;

/**
 * Finds submissions of other accounts whose results for the same models have close values: for each upload, those with the most
 * matches first.
 *
 * @param before only considers results with an earlier id; null: all
 */
export async function listCandidates(
  tx: Transaction,
  uploads: readonly Suspects[],
  before: string | null = null,
): Promise<Candidates> {
  const lookups = uploads.flatMap(({ accountId, results }, upload) =>
    sample(results).flatMap((result) =>
      lookupsOf(result).map((lookup) => ({
        ...lookup,
        ...{ upload, account_id: accountId, model_key: modelKeyOf(result) },
      })),
    ),
  );
  if (lookups.length === 0) return new Map();
  const rows = await selectCandidates(tx, { lookups: JSON.stringify(lookups), before });
  const byUpload = Map.groupBy(rows, ({ upload }) => upload);
  return new Map([...byUpload].map(([upload, of]) => [upload, of.map(({ id }) => id)]));
}

interface StoredRow extends ComparedRow {
  id: string;
  submissionId: string;
  status: CheckedResult['status'];
}

interface CandidateRow extends StatedRow {
  id: string;
  submissionId: string;
  isWhole: boolean;
  status: CheckedResult['status'];
  mode: CheckedResult['load']['mode'];
  level: number | null;
  shape: string;
  model: string;
  latencies: RequestSequence | null;
}

// Rows with another key are compared by index only, in artifacts with the same number of rows. Points distinguish most rows
// before other columns are read.
const selectRows = prepared<{ candidates: string; keys: string; sizes: string }, CandidateRow>(sql`
  with wanted as (
    select k.model, k.shape, k.mode, coalesce(k.level, -1) as level, sc.id as scenario_id
    from jsonb_to_recordset(${value('keys')}::jsonb) as k(model text, shape text, mode text, level float8)
    cross join lateral (select id from scenarios sc where sc.name = k.shape offset 0) sc
  ), candidates as (
    select w.id, (
      select count(*)::int from (
        select from results r where r.submission_id = w.id and r.copy_of is null
        limit (select max(size) + 1 from unnest(${value('sizes')}::int[]) as s(size))) r
      ) = any(${value('sizes')}::int[]) as is_whole
    from unnest(${value('candidates')}::text[]) as w(id) offset 0
  )
  select r.id, r.submission_id as "submissionId", c.is_whole as "isWhole", r.status, r.definitions, r.derived, r.repeats,
    ${metricArray} as values, p.load_mode as mode, p.load_level as level, at.shape, at.model,
    (select q.latencies from request_sequences q where q.result_id = r.id) as latencies
  from candidates c
  cross join lateral (
    select * from results r where r.submission_id = c.id and r.copy_of is null
    order by r.ordinal limit ${sql.raw(String(rowsMost))}) r
  cross join lateral (
    select * from points p
    where p.id = r.point_id and (c.is_whole
      or (p.scenario_id, p.load_mode, coalesce(p.load_level, -1)) in (select scenario_id, mode, level from wanted))
    offset 0) p
  cross join lateral (
    select sc.name as shape, ${modelKey} as model from scenarios sc, systems s
    where sc.id = p.scenario_id and s.id = p.system_id offset 0) at
  where c.is_whole
    or (at.model, at.shape, p.load_mode, coalesce(p.load_level, -1)) in (select model, shape, mode, level from wanted)
  order by r.submission_id, r.ordinal`);

/** Rows of a candidate: all rows, or only those that share a key with an upload. */
interface Candidate {
  isWhole: boolean;
  rows: StoredRow[];
}

/** Placeholder for a row with another key. */
const unread: StoredRow = { id: '', submissionId: '', status: 'accepted', key: '', figures: [] };

/** Rows of stored submissions that may match those of uploads, in artifact order. */
async function readRows(
  tx: Transaction,
  submissionIds: readonly string[],
  uploads: readonly (readonly CheckedResult[])[],
): Promise<Map<string, Candidate>> {
  const keys = uploads.flat().map((result) => ({
    ...{ model: modelKeyOf(result), shape: result.scenario.id },
    ...{ mode: result.load.mode, level: result.load.level },
  }));
  const rows = await selectRows(tx, {
    candidates: wordArray(submissionIds),
    keys: JSON.stringify([...new Map(keys.map((key) => [JSON.stringify(key), key])).values()]),
    sizes: idArray([...new Set(uploads.map(({ length }) => length))]),
  });
  const stored = Map.groupBy(rows, ({ submissionId }) => submissionId);
  return new Map(
    [...stored].map(([id, of]) => {
      const read = of.map(
        (row): StoredRow => ({
          ...{ id: row.id, submissionId: id, status: row.status },
          key: rowKey(row.model, row.shape, row),
          figures: storedFigures(row, { mode: row.mode, level: row.level }),
          sequence: row.latencies,
        }),
      );
      return [id, { isWhole: of[0]?.isWhole ?? false, rows: read }];
    }),
  );
}

/**
 * The rows of a candidate. If only some rows were read and their number equals the upload's, a placeholder makes the lengths
 * differ.
 */
function comparable(candidate: Candidate | undefined, uploaded: number): StoredRow[] {
  if (candidate === undefined) return [];
  const { isWhole, rows } = candidate;
  return isWhole || rows.length !== uploaded ? rows : [...rows, unread];
}

/** For each row of a copy, the original row: the next one with the same key, else the one at the same index. */
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
 * Finds the results of uploads that copy another account's results, by their index in the artifact. A result is a copy if its
 * values or records are too similar to one at the same point, or at another point of the same model. Held results are also
 * compared with held ones; a ranked result can copy only a ranked one.
 *
 * @param candidates the result of `listCandidates`
 */
export async function findCopies(
  tx: Transaction,
  uploads: readonly Suspects[],
  candidates: Candidates,
): Promise<Map<number, FirstResult>[]> {
  const found = uploads.map(() => new Map<number, FirstResult>());
  if (candidates.size === 0) return found;
  const asked = [...candidates.keys()].map((upload) => uploads[upload]?.results.slice(0, rowsMost) ?? []);
  const stored = await readRows(tx, [...new Set([...candidates.values()].flat())], asked);
  for (const [upload, ids] of candidates) {
    const results = uploads[upload]?.results.slice(0, rowsMost) ?? [];
    const rows = results.map(toCompared);
    const of = found[upload] ?? new Map<number, FirstResult>();
    for (const id of ids) {
      const others = comparable(stored.get(id), rows.length);
      const judged = judgeCopy(others, rows);
      if (judged === null) continue;
      for (const [ordinal, first] of originals(rows, others).entries()) {
        if (first === undefined || of.has(ordinal)) continue;
        if (results[ordinal]?.status === 'accepted' && first.status !== 'accepted') continue;
        const { reason, evidence } = judged;
        of.set(ordinal, { id: first.id, submissionId: id, isOthers: true, reason, evidence });
      }
    }
  }
  return found;
}

/**
 * Repeats the search for an account's stored results that were re-read under other names, for instance from an unknown to a
 * known model. Existing copies are unchanged. The others are indexed under their new names.
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
  const suspects = { accountId, results: asked.map(({ result }) => result) };
  const candidates = await listCandidates(tx, [suspects], rows[0]?.id ?? null);
  const [found = new Map<number, FirstResult>()] = await findCopies(tx, [suspects], candidates);
  const copies = new Map([...found].map(([place, first]) => [asked[place]?.id ?? '', first]));
  const changed = [...copies].map(([id, first]) => ({ id, copy_of: first.id, copy_reason: first.reason }));
  await tx.execute(sql`
    update results r set copy_of = w.copy_of, copy_reason = w.copy_reason
    from jsonb_to_recordset(${JSON.stringify(changed)}::jsonb) as w(id text, copy_of text, copy_reason text)
    where r.id = w.id`);
  await tx.execute(sql`delete from result_anchors where result_id = any(${ids})`);
  await storeAnchors(
    tx,
    asked.filter(({ id }) => !copies.has(id)).map((one) => ({ ...one, accountId })),
  );
  return copies;
}
