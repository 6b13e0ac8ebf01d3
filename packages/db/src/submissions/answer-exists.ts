import type { Filters } from '@inferboard/core/filters/filters';
import type { Metric } from '@inferboard/core/metrics/index';
import type { MetricKind } from '@inferboard/core/metrics/metric';
import type { Dimension } from '@inferboard/core/ranking/subject';
import { allowsWorkload } from '@inferboard/core/ranking/workload-choice';
import { sql } from 'drizzle-orm';
import { and } from '../boards/lists/filter-conditions.ts';
import { sourceOf } from '../boards/source.ts';
import type { Queryable } from '../connection/transaction.ts';
import { texts } from '../copy/bulk.ts';

/** Selects the points to look for. */
export interface ExistsQuestion {
  kind: MetricKind;
  /** Null for any metric. */
  rankBy: Metric | null;
  filters: Filters;
  subject: Dimension;
}

/** The workloads that the filters name; null if they name none. */
export async function allowedWorkloads(db: Queryable, { kind, filters }: ExistsQuestion): Promise<string[] | null> {
  if (filters.workload === undefined && filters.regime === undefined) return null;
  const boards = (await db.execute(sql`
    select workload from boards where metric = '' and kind = ${kind}`)) as unknown as { workload: string }[];
  return boards.map(({ workload }) => workload).filter((id) => allowsWorkload(filters, id));
}

/** Whether at least one point could be ranked under the filters. */
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
