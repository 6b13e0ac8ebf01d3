import { createHash } from 'node:crypto';
import { countedFacts, usedFacts } from '@inferboard/core/filters/fact-names';
import { metrics } from '@inferboard/core/metrics/index';
import { boundMetrics, isWalked } from '@inferboard/core/ranking/walked';
import { getTableName, sql } from 'drizzle-orm';
import type { Database } from '../connection/client.ts';
import type { Transaction } from '../connection/transaction.ts';
import { columnList } from '../copy/bulk.ts';
import {
  boardFigures,
  boardPoints,
  boardRows,
  boardSystems,
  boards,
  boardTotals,
  pointShapes,
  toolScatter,
} from '../schema/index.ts';
import { findSetting, upsertSetting } from '../service/setting.ts';
import {
  boundFigureColumns,
  boundFigures,
  countedBy,
  derivedFrom,
  freshColumns,
  freshRows,
  newBoards,
  scatters,
  squaresOf,
  sumPrefix,
  sumsOf,
} from './derive.ts';
import { swapTables } from './swap-tables.ts';

/**
 * Settings key for the registry version that the boards were filled for. Another set of metrics and formulas requires a refill.
 */
const filledFor = 'boards_filled_for';

const registry = (): string =>
  createHash('sha256')
    .update(
      JSON.stringify([
        metrics.map((metric) => [
          ...[metric.name, metric.family.base, metric.family.direction, isWalked(metric)],
          metric.family.definitions.map(({ id, group, unranked }) => [id, group, unranked !== undefined]),
        ]),
        boundMetrics,
        usedFacts,
        freshColumns,
        sumPrefix,
      ]),
    )
    .digest('hex');

const tables: readonly string[] = [
  ...[boards, boardRows, boardFigures, boardPoints, boardSystems, boardTotals, pointShapes, toolScatter],
].map((table) => getTableName(table));

/** Points per statement. */
const batchPoints = 20_000;

async function fillRows(tx: Transaction): Promise<void> {
  const [{ largest } = { largest: 0 }] = (await tx.execute(
    sql`select coalesce(max(id), 0)::int as largest from points`,
  )) as unknown as { largest: number }[];
  const none = derivedFrom(sql`false`);
  await tx.execute(sql`create temp table figures on commit drop as with ${none} select * from figures`);
  await tx.execute(sql`create temp table shapes on commit drop as with ${none} select * from shapes`);
  await tx.execute(sql`create temp table fresh_rows on commit drop as ${freshRows}`);
  for (let after = 0; after < largest; after += batchPoints) {
    const derived = derivedFrom(sql`t.point_id > ${after} and t.point_id <= ${after + batchPoints}`);
    await tx.execute(sql`truncate figures, shapes`);
    await tx.execute(sql`
      with ${derived}, kept as (insert into pg_temp.figures select * from figures)
      insert into pg_temp.shapes select * from shapes`);
    await tx.execute(sql`
      insert into boards (kind, workload, metric, definition_group)
      select * from (${newBoards}) n except select kind, workload, metric, definition_group from boards`);
    await tx.execute(sql`
      insert into point_shapes (shape) select shape from shapes except select shape from point_shapes`);
    await tx.execute(sql`insert into fresh_rows ${freshRows}`);
    await tx.execute(sql`
      insert into board_points (point_id, status, kind, workload, system_id, trust, unnamed, shape_id)
      select h.point_id, h.status, h.kind, h.workload, h.system_id, h.trust, h.unnamed, known.id
      from shapes h join point_shapes known on known.shape = h.shape`);
    await tx.execute(sql`with ${derived} insert into board_figures (${boundFigureColumns}) ${boundFigures}`);
  }
}

/** Rebuilds all board tables from the statistics of all points. */
async function fillBoards(tx: Transaction): Promise<void> {
  // The planner has no statistics for tables during the fill, so the settings favour hash joins and sorts.
  await tx.execute(sql`
    select set_config('statement_timeout', '0', true), set_config('enable_nestloop', 'off', true),
      set_config('work_mem', '64MB', true), set_config('maintenance_work_mem', '256MB', true), set_config('jit', 'off', true)`);
  // Writers wait until the tables are filled. Readers wait only for the swap.
  await tx.execute(sql`lock table point_statistics in share mode`);
  await swapTables(tx, tables, async () => {
    await fillRows(tx);
    await sumUp(tx);
  });
}

/** Stores the board rows with the best row of each system, and the sums. */
async function sumUp(tx: Transaction): Promise<void> {
  await tx.execute(sql`
    insert into board_rows (${columnList(freshColumns)}, is_best)
    select f.*, b.board_id is not null
    from fresh_rows f
    left join (
      select distinct on (board_id, system_id) board_id, point_id, status, variant from fresh_rows
      where status = 'accepted' and is_first
      order by board_id, system_id, worth desc, disputed, point_id) b using (board_id, point_id, status, variant)`);
  await tx.execute(sql`
    update boards b set systems = c.systems
    from (select board_id, count(*)::int as systems from board_rows where is_best and unnamed = 0 group by 1) c
    where b.id = c.board_id`);
  await tx.execute(sql`
    insert into board_systems (board_id, fact, name, systems)
    select r.board_id, k.fact, k.name, count(*)::int
    from board_rows r join systems s on s.id = r.system_id cross join lateral ${countedBy(countedFacts)}
    where r.is_best and r.unnamed = 0 and k.fact <> ''
    group by 1, 2, 3`);
  await tx.execute(sql`
    insert into board_totals (kind, workload, fact, name, status, trust, unnamed, shape_id, points)
    select c.kind, c.workload, k.fact, k.name, c.status, c.trust, c.unnamed, c.shape_id, count(*)
    from board_points c join systems s on s.id = c.system_id cross join lateral ${countedBy(usedFacts)}
    group by 1, 2, 3, 4, 5, 6, 7, 8`);
  await tx.execute(sql`
    insert into board_totals (kind, workload, fact, name, status, trust, unnamed, shape_id, points)
    ${sumsOf('board_totals')}`);
  await tx.execute(sql`
    insert into tool_scatter (metric, definition_group, tool, squares, df, groups)
    select b.metric, b.definition_group, r.tools[1], sum(${squaresOf}), sum(r.n - 1), count(*)
    from board_rows r join boards b on b.id = r.board_id
    where ${scatters}
    group by 1, 2, 3`);
}

/**
 * Fills the boards if this release's metrics and formulas differ from those of the last fill, as after an upgrade. `isAnew`
 * forces a refill, for rows that did not come from submissions. The fill is atomic.
 */
export async function ensureBoards(db: Database['db'], { isAnew = false } = {}): Promise<void> {
  const wanted = registry();
  if (!isAnew && (await findSetting(db, filledFor)) === wanted) return;
  await db.transaction(async (tx) => {
    await fillBoards(tx);
    await upsertSetting(tx, filledFor, wanted);
  });
  // A table that was analysed while empty is planned as an empty table. For a table that was never analysed, PostgreSQL assumes
  // a few pages and uses an index.
  const [filled] = (await db.execute(sql`select exists (select from board_points) as "hasRows"`)) as unknown as {
    hasRows: boolean;
  }[];
  if (filled?.hasRows === true) await db.execute(sql.raw(`analyze ${tables.join(', ')}`));
}
