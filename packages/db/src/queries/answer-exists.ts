import type { Filters } from '@inferboard/core/filters/filters';
import type { Metric } from '@inferboard/core/metrics/index';
import type { MetricKind } from '@inferboard/core/metrics/metric';
import type { Dimension } from '@inferboard/core/ranking/subject';
import { allowsWorkload } from '@inferboard/core/ranking/workload-choice';
import { sql } from 'drizzle-orm';
import { sourceOf } from '../boards/source.ts';
import { texts } from '../bulk.ts';
import type { Queryable } from '../transaction.ts';
import { and } from './filter-conditions.ts';

/** Of which points there may be one. */
export interface ExistsQuestion {
  kind: MetricKind;
  /** Null where any metric will do. */
  rankBy: Metric | null;
  filters: Filters;
  subject: Dimension;
}

/** The workloads that filters name; null where they name none. */
async function allowedWorkloads(db: Queryable, { kind, filters }: ExistsQuestion): Promise<string[] | null> {
  if (filters.workload === undefined && filters.regime === undefined) return null;
  const boards = (await db.execute(sql`
    select workload from boards where metric = '' and kind = ${kind}`)) as unknown as { workload: string }[];
  return boards.map(({ workload }) => workload).filter((id) => allowsWorkload(filters, id));
}

/** Whether a point could be ranked under the filters. */
export async function answerExists(db: Queryable, question: ExistsQuestion): Promise<boolean> {
  const { kind, rankBy, filters, subject } = question;
  const workloads = await allowedWorkloads(db, question);
  const metrics = rankBy === null ? [] : [rankBy];
  const source = sourceOf({ kind, metrics, filters, dimensions: [subject] });
  const within = workloads === null ? [] : [sql`r.workload = any(${texts(workloads)})`];
  const [found] = (await db.execute(sql`
    select exists (select from ${source.from} where ${and([...source.where, ...within])}) as "isThere"`)) as unknown as {
    isThere: boolean;
  }[];
  return found?.isThere === true;
}
