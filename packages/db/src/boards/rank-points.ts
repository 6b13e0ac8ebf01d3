import { countedFacts, usedFacts } from '@inferboard/core/filters/fact-names';
import { type SQL, sql } from 'drizzle-orm';
import { prepared, value } from '../connection/statement.ts';
import { atOnce, type Transaction } from '../connection/transaction.ts';
import { columnList, idArray } from '../copy/bulk.ts';
import {
  boundFigureColumns,
  boundFigures,
  countedBy,
  derivedFrom,
  freshColumns,
  freshRows,
  freshRowsOfFew,
  newBoards,
  scatters,
  squaresOf,
  sumsOf,
} from './derive.ts';

interface OfPoints extends Record<string, unknown> {
  ids: string;
}

const points = sql`${value('ids')}::bigint[]`;
const derived = derivedFrom(sql`t.point_id = any(${points})`);

const lockSystems = prepared<OfPoints>(sql`
  select s.id from systems s where s.id in (select p.system_id from points p where p.id = any(${points}))
  order by s.id for no key update`);

const makeBoards = prepared<OfPoints>(sql`
  with ${derived},
    made as (
      insert into boards (kind, workload, metric, definition_group)
      select n.* from (${newBoards}) n
      where not exists (
        select 1 from boards b
        where (b.kind, b.workload, b.metric, b.definition_group) = (n.kind, n.workload, n.metric, n.definition_group))
      order by 1, 2, 3, 4
      on conflict do nothing)
  insert into point_shapes (shape)
  select distinct h.shape from shapes h
  where not exists (select 1 from point_shapes known where md5(known.shape) = md5(h.shape))
  order by 1
  on conflict do nothing`);

const isWhole = sql`(select whole.it from whole)`;

// Has no effect unless all boards and shapes exist.
const storeOf = (rows: SQL) =>
  prepared<OfPoints, { isWhole: boolean }>(sql`
  with ${derived},
    fresh as materialized (${rows}),
    shaped as materialized (
      select h.*, known.id as shape_id
      from shapes h
      cross join lateral (select id from point_shapes where md5(shape) = md5(h.shape) offset 0) known),
    whole as materialized (
      select (select count(*) from fresh) = (select count(*) from figures where is_walked) + (select count(*) from shapes)
        and (select count(*) from shaped) = (select count(*) from shapes) as it),
    gone as (delete from board_rows where point_id = any(${points}) and ${isWhole} returning *),
    gone_points as (delete from board_points where point_id = any(${points}) and ${isWhole} returning *),
    gone_figures as (delete from board_figures where point_id = any(${points}) and ${isWhole} returning 1),
    mine as materialized (
      select distinct on (board_id, system_id) board_id, system_id, point_id, status, variant, worth, disputed, unnamed
      from fresh where status = 'accepted' and is_first and ${isWhole}
      order by board_id, system_id, worth desc, disputed, point_id),
    was as materialized (select board_id, system_id, point_id, worth, disputed, unnamed from gone where is_best),
    -- Which row of a system is its best: one of these points, or the best of the others. That one is marked unless one of
    -- these points was the best; the others are not looked at where that has become no worse.
    judged as materialized (
      select k.board_id, k.point_id, k.status, k.variant, coalesce(k.unnamed, w.unnamed) as unnamed, o.point_id as other_point,
        o.status as other_status, o.variant as other_variant, o.is_best as was_other,
        (-k.worth, k.disputed, k.point_id) < (-o.worth, o.disputed, o.point_id) is not false and k.point_id is not null as is_mine,
        coalesce(k.board_id, w.board_id) as board, coalesce(k.system_id, w.system_id) as system_id,
        w.board_id is not null as was_mine
      from mine k
      full join was w on (w.board_id, w.system_id) = (k.board_id, k.system_id)
      left join lateral (
        (select r.* from board_rows r
        where w.board_id is null and r.system_id = k.system_id and r.board_id = k.board_id and r.is_best
        order by r.worth desc limit 1)
        union all
        (select r.* from board_rows r
        where w.board_id is not null and r.system_id = w.system_id and r.board_id = w.board_id
          and r.status = 'accepted' and r.is_first and r.point_id <> all(${points})
          and ((-k.worth, k.disputed, k.point_id) <= (-w.worth, w.disputed, w.point_id)) is not true
        order by r.worth desc, r.disputed, r.point_id limit 1)) o on true),
    stored as (
      insert into board_rows (${columnList(freshColumns)}, is_best)
      select f.*, (f.board_id, f.point_id, f.status, f.variant) in (
        select board_id, point_id, status, variant from judged where is_mine)
      from fresh f
      where (select count(*) from gone) >= 0 and ${isWhole}),
    turned as (
      update board_rows r set is_best = not j.was_other
      from judged j
      where (r.board_id, r.point_id, r.status, r.variant) = (j.board, j.other_point, j.other_status, j.other_variant)
        and j.was_other = j.is_mine),
    stored_points as (
      insert into board_points (point_id, status, kind, workload, system_id, trust, unnamed, shape_id)
      select point_id, status, kind, workload, system_id, trust, unnamed, shape_id from shaped
      -- What was there goes first.
      where (select count(*) from gone_points) >= 0 and ${isWhole}
      returning *),
    stored_figures as (
      insert into board_figures (${boundFigureColumns}) ${boundFigures}
      where (select count(*) from gone_figures) >= 0 and ${isWhole}),
    systems_by as (
      select d.board, k.fact, k.name, sum(d.by)::int as by
      from (
        select board, system_id, sum((is_mine or other_point is not null)::int - (was_mine or was_other is true)::int)::int as by
        from judged where unnamed = 0 group by 1, 2) d
      join systems s on s.id = d.system_id
      cross join lateral ${countedBy(countedFacts)}
      where d.by <> 0
      group by 1, 2, 3 having sum(d.by) <> 0),
    totals_by as (
      select d.kind, d.workload, d.status, d.trust, d.unnamed, d.shape_id, k.fact, k.name, sum(d.by)::int as points
      from (
        select kind, workload, status, trust, unnamed, shape_id, system_id, sum(by)::int as by from (
          select kind, workload, status, trust, unnamed, shape_id, system_id, 1 as by from stored_points
          union all select kind, workload, status, trust, unnamed, shape_id, system_id, -1 from gone_points) of_systems
        group by 1, 2, 3, 4, 5, 6, 7 having sum(by) <> 0) d
      join systems s on s.id = d.system_id
      cross join lateral ${countedBy(usedFacts)}
      group by 1, 2, 3, 4, 5, 6, 7, 8 having sum(d.by) <> 0),
    scatter_by as (
      select b.metric, b.definition_group, r.tools[1] as tool, sum(r.by * ${squaresOf}) as squares,
        sum(r.by * (r.n - 1))::int as df, sum(r.by)::int as groups
      from (
        select board_id, status, worth, n, sd, tools, 1 as by from fresh where n >= 2 and ${isWhole}
        union all select board_id, status, worth, n, sd, tools, -1 from gone where n >= 2) r
      cross join lateral (select metric, definition_group from boards where id = r.board_id offset 0) b
      where ${scatters}
      group by 1, 2, 3),
    -- The sums are locked in this order and last, for no longer than the commit takes.
    totals_added as (
      insert into board_totals (kind, workload, fact, name, status, trust, unnamed, shape_id, points)
      select * from (
        select kind, workload, fact, name, status, trust, unnamed, shape_id, points from totals_by
        union all ${sumsOf('totals_by')}) q
      where (select count(*) from judged) >= 0
      order by 1, 2, 3, 4, 5, 6, 7, 8
      on conflict (kind, workload, fact, name, status, trust, unnamed, shape_id)
        do update set points = board_totals.points + excluded.points
      returning 1),
    scatter_added as (
      insert into tool_scatter (metric, definition_group, tool, squares, df, groups)
      select metric, definition_group, tool, squares, df, groups from scatter_by
      where (select count(*) from totals_added) >= 0
      order by 1, 2, 3
      on conflict (metric, definition_group, tool) do update
        set squares = tool_scatter.squares + excluded.squares, df = tool_scatter.df + excluded.df,
          groups = tool_scatter.groups + excluded.groups
      returning 1),
    locked_boards as materialized (
      select b.id from boards b
      where b.id = any(array(select board from systems_by)) and (select count(*) from scatter_added) >= 0
      order by b.id for no key update),
    facts_added as (
      insert into board_systems (board_id, fact, name, systems)
      select board, fact, name, by from systems_by where fact <> '' and (select count(*) from locked_boards) > 0
      order by 1, 2, 3
      on conflict (fact, name, board_id) do update set systems = board_systems.systems + excluded.systems
      returning 1),
    systems_added as (
      update boards b set systems = b.systems + d.by
      from systems_by d join locked_boards on locked_boards.id = d.board
      where d.fact = '' and b.id = d.board and (select count(*) from facts_added) >= 0)
  select ${isWhole} as "isWhole"`);

const storeFew = storeOf(freshRowsOfFew);
const storeMany = storeOf(freshRows);

/** Maximum points for the plan that is optimized for a few points. */
const usualPoints = 100;

/**
 * Updates the board tables of some points in the transaction that changed their statistics. Locks their systems, because each
 * system has one best row per board.
 */
export async function rankPoints(tx: Transaction, pointIds: readonly number[]): Promise<void> {
  const sorted = [...new Set(pointIds)].sort((a, b) => a - b);
  if (sorted.length === 0) return;
  const ids = idArray(sorted);
  const how = { isUnusual: sorted.length > usualPoints };
  const store = how.isUnusual ? storeMany : storeFew;
  const [, [stored]] = await atOnce([lockSystems(tx, { ids }, how), store(tx, { ids }, how)]);
  if (stored?.isWhole) return;
  // In most cases all boards exist already.
  const [, [again]] = await atOnce([makeBoards(tx, { ids }, how), store(tx, { ids }, how)]);
  if (!again?.isWhole) throw new Error('boards of points are missing');
}
