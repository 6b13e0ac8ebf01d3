import type { Metric } from '@inferboard/core/metrics/index';
import type { BoardEntry, Order, WalkedRow } from '@inferboard/core/ranking/board';
import type { Dimension } from '@inferboard/core/ranking/subject';
import { signOf } from '@inferboard/core/ranking/walked';
import { type ResultStatus, resultStatuses } from '@inferboard/core/subjects/result';
import { type SQL, sql } from 'drizzle-orm';
import type { RowKey } from './row-key.ts';
import type { Asking } from './source.ts';

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

/** What rows are read for. */
export interface RowForm {
  metric: Metric;
  /** The expression of a row's subject; null for its system. */
  subject: SQL | null;
  /** The factor from the metric to the unit of the board; null if they are the same. */
  scale: SQL | null;
}

type Column = keyof StoredRow;

/** The columns of a `StoredRow`, from board rows `r`. Tools are left out where the interval does not depend on them. */
function columnsOf({ metric, subject, scale }: RowForm): [Column, SQL][] {
  return [
    ['pointId', sql`r.point_id::float8`],
    ['status', sql`r.status`],
    ['variant', sql`r.variant`],
    ['system', sql`r.system_id`],
    ['value', sql`${sql.raw(String(signOf(metric)))} * ${worthOf(scale)}`],
    ['n', sql`r.n`],
    ['sd', scale === null ? sql`r.sd` : sql`r.sd * ${scale}`],
    ['tools', sql`case when r.sd is null then r.tools end`],
    ['isDisputed', sql`r.disputed`],
    ...(subject === null ? [] : [['subject', subject] satisfies [Column, SQL]]),
    ...(scale === null ? [] : [['scale', scale] satisfies [Column, SQL]]),
  ];
}

/** Rows as one JSON array per column; null without rows. */
export type JsonColumns = { [Name in Column]?: string | null };

const selected = (columns: readonly [Column, SQL][]) =>
  sql`select ${sql.join(
    columns.map(([name, value]) => sql`${value} as ${sql.identifier(name)}`),
    sql`, `,
  )}`;

/**
 * Selects rows as `JsonColumns`. The driver would need longer to parse rows, and PostgreSQL needs longer for a
 * JSON array of each row.
 *
 * @param from the source of board rows `r`, with their order
 */
export function jsonColumns(form: RowForm, from: SQL): SQL {
  const columns = columnsOf(form);
  const asArrays = columns.map(([name]) => sql`json_agg(q.${sql.identifier(name)})::text as ${sql.identifier(name)}`);
  return sql`select ${sql.join(asArrays, sql`, `)} from (${selected(columns)} ${from}) q`;
}

/** A row of `selectRows`: without the columns that its form omits. */
export type SelectedRow = Omit<StoredRow, 'subject' | 'scale' | 'tools'> & {
  subject?: string;
  scale?: number;
  tools: string[] | null;
};

/** Selects rows one by one, for a cursor. */
export const selectRows = (form: RowForm, from: SQL): SQL => sql`${selected(columnsOf(form))} ${from}`;

export const toRow = ({ subject, scale = 1, tools, ...row }: SelectedRow): StoredRow => ({
  ...row,
  subject: subject ?? row.system,
  scale,
  tools: tools ?? [],
});

/** Reads the rows of `jsonColumns`. */
export function readColumns(columns: JsonColumns | undefined): StoredRow[] {
  const read = <Name extends Column>(name: Name) => JSON.parse(columns?.[name] ?? '[]') as (StoredRow[Name] | null)[];
  const [statuses, variants, systems, subjects] = [read('status'), read('variant'), read('system'), read('subject')];
  const [values, counts, deviations, tools] = [read('value'), read('n'), read('sd'), read('tools')];
  const [disputed, scales] = [read('isDisputed'), read('scale')];
  return read('pointId').map((pointId, at) => ({
    pointId: pointId ?? 0,
    status: statuses[at] ?? 'accepted',
    variant: variants[at] ?? 0,
    system: systems[at] ?? '',
    subject: subjects[at] ?? systems[at] ?? '',
    value: values[at] ?? 0,
    n: counts[at] ?? null,
    sd: deviations[at] ?? null,
    tools: tools[at] ?? [],
    isDisputed: disputed[at] ?? false,
    scale: scales[at] ?? 1,
  }));
}

export const inRankOrder = (worth: Order, scale: SQL | null = null): SQL =>
  sql`${worthOf(scale)} ${sql.raw(worth)}, r.disputed, r.system_id collate "C", r.point_id, ${statusOrder}`;

export const isBetterFirst = (metric: Metric, order: Order) => (signOf(metric) === 1) === (order === 'desc');
