import { sql } from 'drizzle-orm';
import type { Queryable } from '../../connection/transaction.ts';
import { texts } from '../../copy/bulk.ts';
import { allowedWorkloads, type ExistsQuestion } from '../../submissions/answer-exists.ts';
import { sourceOf } from '../source.ts';
import { and } from './filter-conditions.ts';

/** The greatest load at which a point matches the filters; null if none does. The filters must name a load mode. */
export async function greatestLoad(db: Queryable, question: ExistsQuestion): Promise<number | null> {
  const { kind, rankBy, filters, subject } = question;
  const workloads = await allowedWorkloads(db, question);
  const source = sourceOf({ kind, metrics: rankBy === null ? [] : [rankBy], filters, dimensions: [subject] });
  const within = workloads === null ? [] : [sql`r.workload = any(${texts(workloads)})`];
  const [found] = (await db.execute(sql`
    select max(p.load_level) as level from ${source.from} where ${and([...source.where, ...within])}`)) as unknown as {
    level: number | null;
  }[];
  return found?.level ?? null;
}
