import type { LoadMode } from '@inferboard/core/subjects/load';
import { sql } from 'drizzle-orm';
import type { Queryable } from '../../connection/transaction.ts';
import { texts } from '../../copy/bulk.ts';
import { allowedWorkloads, type ExistsQuestion } from '../../submissions/answer-exists.ts';
import { sourceOf } from '../source.ts';
import { and } from './filter-conditions.ts';

/** A stated load at which a number of GPUs was measured. */
export interface MeasuredLoad {
  mode: LoadMode;
  level: number;
  gpuCount: number | null;
}

/** Maximum loads to read: those of many systems are the same. */
const loadsMax = 1000;

/** The stated loads of the points that match the filters, in no order. */
export async function listMeasuredLoads(db: Queryable, question: ExistsQuestion): Promise<MeasuredLoad[]> {
  const { kind, rankBy, filters, subject } = question;
  const workloads = await allowedWorkloads(db, question);
  const source = sourceOf({
    kind,
    metrics: rankBy === null ? [] : [rankBy],
    filters,
    dimensions: [subject, 'load', 'gpu'],
  });
  const within = workloads === null ? [] : [sql`r.workload = any(${texts(workloads)})`];
  return (await db.execute(sql`
    select distinct p.load_mode as mode, p.load_level as level, s.gpu_count as "gpuCount" from ${source.from}
    where ${and([...source.where, ...within, sql`p.load_level is not null`])} limit ${loadsMax}`)) as unknown as MeasuredLoad[];
}
