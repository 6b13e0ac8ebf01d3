import { boundMetrics } from '@inferboard/core/ranking/walked';
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

// What boards read, derived from point_statistics in the transaction that changes them: see boards/rank-points.ts. Nothing
// refers to anything by a key: each would be looked up for every value that is stored.

/** What is ranked together: one metric of one workload by formulas that can be compared. */
export const boards = pgTable(
  'boards',
  {
    id: integer().primaryKey().generatedAlwaysAsIdentity(),
    kind: text().notNull(),
    workload: text().notNull(),
    /** Empty of the board that holds every point of the workload. */
    metric: text().notNull(),
    /** Empty where no formula is recorded. */
    definitionGroup: text().notNull(),
    /** Systems with an accepted row that name their model, GPU and quantization. */
    systems: integer().notNull().default(0),
  },
  (table) => [
    uniqueIndex('boards_identity_unique').on(table.metric, table.kind, table.workload, table.definitionGroup),
  ],
);

/** A value of the claim that stands for a point, on its board. Boards walk it in rank order. */
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
    /** How many values it is the mean of, and their standard deviation; null where that is not known. */
    n: integer(),
    sd: doublePrecision(),
    /** The better end of the interval of its mean, where that is wide: more than a fifth of the value away. */
    reach: doublePrecision(),
    tools: text().array().notNull(),
    trust: text().notNull(),
    disputed: boolean().notNull(),
    /** Facts that the system leaves out: 1 the model, 2 the GPU, 4 the quantization. */
    unnamed: smallint().notNull(),
    /** The first variant of its point and status on the board: that one ranks. */
    isFirst: boolean().notNull(),
    /** The best of its system's accepted first rows on the board. */
    isBest: boolean().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.pointId, table.boardId, table.status, table.variant] }),
    index('board_rows_walk').on(table.boardId, table.worth),
    index('board_rows_best').on(table.boardId, table.worth).where(sql`${table.isBest}`),
    index('board_rows_imported').on(table.boardId).where(sql`${table.isBest} and ${table.trust} = 'imported'`),
    index('board_rows_reach').on(table.boardId, table.reach).where(sql`${table.reach} is not null`),
    index('board_rows_system').on(table.systemId, table.boardId, table.worth),
  ],
);

/** Which metrics a point has, in each of its variants: see `readShape` in core. Many points share a few shapes. */
export const pointShapes = pgTable(
  'point_shapes',
  { id: integer().primaryKey().generatedAlwaysAsIdentity(), shape: text().notNull() },
  (table) => [uniqueIndex('point_shapes_unique').on(sql`md5(${table.shape})`)],
);

/** A point and status that a claim stands for, with what boards count it by. */
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

/**
 * The values of a claim that bounds are tested on, with the facts that filters name, in one narrow row that an index covers:
 * a board under bounds reads those of its workload, and of nothing else.
 */
export const boardFigures = pgTable(
  'board_figures',
  {
    pointId: bigint({ mode: 'number' }).notNull(),
    status: text().notNull(),
    variant: smallint().notNull(),
    /** The board that holds every point of the workload. */
    boardId: integer().notNull(),
    systemId: text().notNull(),
    /** The id in the catalogue, else the family, else the name. */
    model: text().notNull(),
    gpu: text().notNull(),
    trust: text().notNull(),
    unnamed: smallint().notNull(),
    ...boundColumns(),
  },
  (table) => [
    primaryKey({ columns: [table.pointId, table.status, table.variant] }),
    index('board_figures_model').on(table.model, table.boardId),
    index('board_figures_covering').on(
      ...[table.boardId, table.gpu, table.model, table.status, table.trust, table.unnamed],
      ...[table.pointId, table.variant, table.systemId],
      ...boundMetrics.map((name) => table[name]),
    ),
  ],
);

/** Systems of a board by their models and GPUs, counted as `boards.systems`. */
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

/** How many points there are of a kind that boards count together: in all, and by the facts of their systems. */
export const boardTotals = pgTable(
  'board_totals',
  {
    kind: text().notNull(),
    workload: text().notNull(),
    status: text().notNull(),
    trust: text().notNull(),
    unnamed: smallint().notNull(),
    shapeId: integer().notNull(),
    /** `model`, `gpu`, `quantization` or `engine`; empty of all points. */
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

/** How much a tool's repetitions of one point scatter: sums over accepted points that it alone measured repeatedly. */
export const toolScatter = pgTable(
  'tool_scatter',
  {
    metric: text().notNull(),
    definitionGroup: text().notNull(),
    tool: text().notNull(),
    /** Sum of (n - 1) (sd / mean)^2, of decimals, so that adding and subtracting stays exact. */
    squares: numeric().notNull(),
    /** Sum of n - 1. */
    df: integer().notNull(),
    /** Points. */
    groups: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.metric, table.definitionGroup, table.tool] })],
);
