import type { Metric } from '@inferboard/core/metrics/index';
import type { BoardEntry, Order, WalkedRow } from '@inferboard/core/ranking/board';
import type { Dimension } from '@inferboard/core/ranking/subject';
import { signOf } from '@inferboard/core/ranking/walked';
import { type ResultStatus, resultStatuses } from '@inferboard/core/subjects/result';
import { type SQL, sql } from 'drizzle-orm';
import type { RowKey } from './row-key.ts';
import { type Asking, subjectOf } from './source.ts';

/** A board row, with the key of its statistics. */
export type StoredRow = WalkedRow &
  RowKey & {
    /** Factor that was applied to value and deviation: 1, or the factor from a rate to tokens per dollar. */
    scale: number;
  };

export type StoredEntry = BoardEntry<StoredRow>;

export interface WalkQuestion extends Asking {
  order: Order;
  subject: Dimension;
}

/** The board properties that a walk needs. */
export interface Ground {
  question: WalkQuestion;
  metric: Metric;
  statuses: readonly ResultStatus[];
  on: SQL;
  /** Ids of the boards of the ranked metric. */
  boards: readonly number[];
}

/** Sort order of statuses among equal values. */
export const statusOrder: SQL = sql.raw(`array_position('{${resultStatuses.join(',')}}'::text[], r.status)`);

/** The sort value of rows `r`, scaled if the board's unit differs from its metric's. */
const worthOf = (scale: SQL | null): SQL => (scale === null ? sql`r.worth` : sql`r.worth * ${scale}`);

/** The columns of a `StoredRow`, from board rows `r`. */
export const storedRow = (metric: Metric, subject: Dimension, scale: SQL | null = null): SQL => sql`
  r.point_id::float8 as "pointId", r.status, r.variant, r.system_id as system, ${subjectOf(subject)} as subject,
  ${sql.raw(String(signOf(metric)))} * ${worthOf(scale)} as value, r.n, ${scale === null ? sql`r.sd` : sql`r.sd * ${scale} as sd`}, r.tools,
  r.disputed as "isDisputed", ${scale ?? sql`1::float8`} as scale`;

export const inRankOrder = (worth: Order, scale: SQL | null = null): SQL =>
  sql`${worthOf(scale)} ${sql.raw(worth)}, r.disputed, r.system_id collate "C", r.point_id, ${statusOrder}`;

export const isBetterFirst = (metric: Metric, order: Order) => (signOf(metric) === 1) === (order === 'desc');
