import { isWaived } from '@inferboard/core/catalogue/names/normalise';
import type { MappableFact } from '@inferboard/core/submission/review';
import { sql } from 'drizzle-orm';
import type { Queryable } from '../connection/transaction.ts';

/** A name that is missing in the catalogue, and the results held for it. */
export interface HeldName {
  fact: MappableFact;
  /** The first spelling. Names that differ only in case and punctuation are equal. */
  name: string;
  key: string;
  results: number;
  submissions: number;
}

/** Results that wait for a review, with the names of their systems. */
const held = sql`
  results r
  join submissions u on u.id = r.submission_id and u.status <> 'retracted'
  join points p on p.id = r.point_id
  join systems s on s.id = p.system_id
  cross join lateral (values
    ('gpu', s.gpu_key, s.gpu_name, coalesce(s.gpu_id, s.gpu_family)),
    ('model', s.model_key, s.model_name, coalesce(s.model_id, s.model_family)),
    ('quantization', s.quantization_key, s.quantization_name, s.quantization_id),
    ('engine', s.engine_key, s.engine_name, s.engine_id)) n (fact, key, name, known)
  where r.status = 'quarantined' and n.known is null and not (n.fact = 'engine' and p.kind = 'kernel')`;

/** Unknown names of held results, those with the most results first. */
export async function listHeldNames(db: Queryable): Promise<HeldName[]> {
  const rows = (await db.execute(sql`
    select n.fact, n.key, min(n.name) as name, count(*)::int as results, count(distinct r.submission_id)::int as submissions
    from ${held} group by 1, 2 order by results desc, n.fact, n.key`)) as unknown as HeldName[];
  return rows.filter(({ name }) => !isWaived(name));
}

/** The results of one submission that are held for a name. */
export interface HeldSubmission {
  submissionId: string;
  results: string[];
}

/** Submissions with results held for a name, oldest first. */
export async function listHeldSubmissions(
  db: Queryable,
  { fact, key }: Pick<HeldName, 'fact' | 'key'>,
  limit: number,
): Promise<HeldSubmission[]> {
  return (await db.execute(sql`
    select r.submission_id as "submissionId", array_agg(r.id order by r.ordinal) as results
    from ${held} and n.fact = ${fact} and n.key = ${key}
    group by 1 order by 1 limit ${limit}`)) as unknown as HeldSubmission[];
}
