import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  doublePrecision,
  index,
  integer,
  numeric,
  pgTable,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { boundColumns } from './metric-columns.ts';

// The tables that boards read, derived from point_statistics in the transaction that changes it; see boards/rank-points.ts.
// They have no foreign keys, because each would be checked for every stored value.

/** A group that is ranked together: one metric of one workload by comparable formulas. */
export const boards = pgTable(
  'boards',
  {
    id: integer().primaryKey().generatedAlwaysAsIdentity(),
    kind: text().notNull(),
    workload: text().notNull(),
    /** Empty for the board that contains every point of the workload. */
    metric: text().notNull(),
    /** Empty if no formula is recorded. */
    definitionGroup: text().notNull(),
    /** Number of systems with an accepted row that name their model, GPU and quantization. */
    systems: integer().notNull().default(0),
  },
  (table) => [
    uniqueIndex('boards_identity_unique').on(table.metric, table.kind, table.workload, table.definitionGroup),
  ],
);

/** A value of a representative claim on its board. Boards read the rows in rank order. */
export const boardRows = pgTable(
  'board_rows',
  {
    boardId: integer().notNull(),
    pointId: bigint({ mode: 'number' }).notNull(),
    status: text().notNull(),
    variant: smallint().notNull(),
    systemId: text().notNull(),
    /** The value, negated where lower is better. */
    worth: doublePrecision().notNull(),
    /** Number of averaged values and their standard deviation; null if unknown. */
    n: integer(),
    sd: doublePrecision(),
    /** The better end of the mean's interval if it is wide: more than a fifth of the value away. Null otherwise. */
    reach: doublePrecision(),
    tools: text().array().notNull(),
    trust: text().notNull(),
    disputed: boolean().notNull(),
    /** Bit mask of unspecified facts: 1 model, 2 GPU, 4 quantization. */
    unnamed: smallint().notNull(),
    /** The first variant of its point and status on the board, which is the one that ranks. */
    isFirst: boolean().notNull(),
    /** The best of its system's accepted first rows on the board. */
    isBest: boolean().notNull(),
    /** As in `boardFigures`, so that bounds and facts are tested on the rows of a board. Null on boards of any metric. */
    model: text(),
    gpu: text(),
    ...boundColumns(),
  },
  (table) => [
    primaryKey({ columns: [table.pointId, table.boardId, table.status, table.variant] }),
    // The status is tested in the index: implausible values, which are held back, are often the best.
    index('board_rows_walk').on(table.boardId, table.worth, table.status),
    index('board_rows_best').on(table.boardId, table.worth).where(sql`${table.isBest}`),
    index('board_rows_imported').on(table.boardId).where(sql`${table.isBest} and ${table.trust} = 'imported'`),
    index('board_rows_reach').on(table.boardId, table.reach).where(sql`${table.reach} is not null`),
    index('board_rows_model').on(table.boardId, table.model, table.worth).where(sql`${table.model} is not null`),
    index('board_rows_gpu').on(table.boardId, table.gpu, table.worth).where(sql`${table.gpu} is not null`),
    index('board_rows_system').on(table.systemId, table.boardId, table.worth),
  ],
);

/** The metrics of each variant of a point; see `readShape` in core. Many points share a few shapes. */
export const pointShapes = pgTable(
  'point_shapes',
  { id: integer().primaryKey().generatedAlwaysAsIdentity(), shape: text().notNull() },
  (table) => [uniqueIndex('point_shapes_unique').on(sql`md5(${table.shape})`)],
);

/** A point and status with a representative claim, and the facts that boards count by. */
export const boardPoints = pgTable(
  'board_points',
  {
    pointId: bigint({ mode: 'number' }).notNull(),
    status: text().notNull(),
    kind: text().notNull(),
    workload: text().notNull(),
    systemId: text().notNull(),
    trust: text().notNull(),
    unnamed: smallint().notNull(),
    shapeId: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.pointId, table.status] }),
    index('board_points_workload').on(table.workload),
    index('board_points_system').on(table.systemId),
  ],
);

/** The values of a claim that bounds test, and the facts that filters use, in one narrow row. */
export const boardFigures = pgTable(
  'board_figures',
  {
    pointId: bigint({ mode: 'number' }).notNull(),
    status: text().notNull(),
    variant: smallint().notNull(),
    /** The board that contains every point of the workload. */
    boardId: integer().notNull(),
    systemId: text().notNull(),
    /** The catalogue id, else the family, else the name. */
    model: text().notNull(),
    gpu: text().notNull(),
    trust: text().notNull(),
    unnamed: smallint().notNull(),
    ...boundColumns(),
  },
  (table) => [
    primaryKey({ columns: [table.pointId, table.status, table.variant] }),
    index('board_figures_board').on(table.boardId),
    index('board_figures_model').on(table.model, table.boardId),
    index('board_figures_gpu').on(table.gpu, table.boardId),
    index('board_figures_system').on(table.systemId),
  ],
);

/** Number of systems on a board by model and GPU, counted like `boards.systems`. */
export const boardSystems = pgTable(
  'board_systems',
  {
    boardId: integer().notNull(),
    fact: text().notNull(),
    name: text().notNull(),
    systems: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.fact, table.name, table.boardId] })],
);

/** Number of points that boards count together: in total, and by the facts of their systems. */
export const boardTotals = pgTable(
  'board_totals',
  {
    kind: text().notNull(),
    workload: text().notNull(),
    status: text().notNull(),
    trust: text().notNull(),
    unnamed: smallint().notNull(),
    shapeId: integer().notNull(),
    /**
     * `model`, `gpu`, `quantization` or `engine`; empty for all points. With the prefix `sum_`, and `sum_workload`: the sum over all
     * kinds, workloads, trusts and shapes, whose columns are then empty.
     */
    fact: text().notNull().default(''),
    name: text().notNull().default(''),
    points: integer().notNull(),
  },
  (table) => [
    primaryKey({
      name: 'board_totals_pk',
      columns: [
        ...[table.fact, table.name, table.kind, table.workload],
        ...[table.status, table.trust, table.unnamed, table.shapeId],
      ] as [typeof table.kind, ...(typeof table.status)[]],
    }),
  ],
);

/** The scatter of a tool's repetitions of one point: sums over accepted points that only this tool measured repeatedly. */
export const toolScatter = pgTable(
  'tool_scatter',
  {
    metric: text().notNull(),
    definitionGroup: text().notNull(),
    tool: text().notNull(),
    /** Sum of (n - 1) (sd / mean)^2 as a decimal, so that addition and subtraction are exact. */
    squares: numeric().notNull(),
    /** Sum of n - 1. */
    df: integer().notNull(),
    /** Number of points. */
    groups: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.metric, table.definitionGroup, table.tool] })],
);
