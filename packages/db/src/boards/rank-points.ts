import { countedFacts, usedFacts } from '@inferboard/core/filters/fact-names';
import { type SQL, sql } from 'drizzle-orm';
import { idArray } from '../bulk.ts';
import { prepared, value } from '../statement.ts';
import { atOnce, type Transaction } from '../transaction.ts';
import {
  boundFigureColumns,
  boundFigures,
  countedBy,
  derivedFrom,
  freshRows,
  freshRowsOfFew,
  newBoards,
  scatters,
  squaresOf,
} from './derive.ts';

interface Changes {
  systems: { board: number; fact: string; name: string; by: number }[];
  totals: Record<string, unknown>[];
  /** Sums of squares are text: a number would lose digits, and what is taken away must be what was added. */
  scatter: Record<string, unknown>[];
}

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

const storeOf = (rows: SQL) =>
  prepared<OfPoints, Changes & { isWhole: boolean }>(sql`
  with ${derived},
    fresh as materialized (${rows}),
    gone as (delete from board_rows where point_id = any(${points}) returning *),
    gone_points as (delete from board_points where point_id = any(${points}) returning *),
    gone_figures as (delete from board_figures where point_id = any(${points}) returning 1),
    mine as materialized (
      select distinct on (board_id, system_id) board_id, system_id, point_id, status, variant, worth, disputed, unnamed
      from fresh where status = 'accepted' and is_first
      order by board_id, system_id, worth desc, disputed, point_id),
    was as materialized (select board_id, system_id, point_id, worth, disputed, unnamed from gone where is_best),
    -- Which row of a system is its best: one of these points, or the best of the others. Those are not looked at where
    -- what was the best has become no worse.
    judged as materialized (
      select k.board_id, k.point_id, k.status, k.variant, coalesce(k.unnamed, w.unnamed) as unnamed, o.point_id as other_point,
        o.status as other_status, o.variant as other_variant, o.is_best as was_other,
        (-k.worth, k.disputed, k.point_id) < (-o.worth, o.disputed, o.point_id) is not false and k.point_id is not null as is_mine,
        coalesce(k.board_id, w.board_id) as board, coalesce(k.system_id, w.system_id) as system_id,
        w.board_id is not null as was_mine
      from mine k
      full join was w on (w.board_id, w.system_id) = (k.board_id, k.system_id)
      left join lateral (
        select r.* from board_rows r
        where r.system_id = coalesce(k.system_id, w.system_id) and r.board_id = coalesce(k.board_id, w.board_id)
          and r.status = 'accepted' and r.is_first and r.point_id <> all(${points})
          and ((-k.worth, k.disputed, k.point_id) <= (-w.worth, w.disputed, w.point_id)) is not true
        order by r.worth desc, r.disputed, r.point_id limit 1) o on true),
    stored as (
      insert into board_rows (board_id, point_id, status, variant, system_id, worth, n, sd, reach, tools, trust, disputed,
        unnamed, is_first, is_best)
      select f.*, (f.board_id, f.point_id, f.status, f.variant) in (
        select board_id, point_id, status, variant from judged where is_mine)
      from fresh f
      where (select count(*) from gone) >= 0),
    turned as (
      update board_rows r set is_best = not j.was_other
      from judged j
      where (r.board_id, r.point_id, r.status, r.variant) = (j.board, j.other_point, j.other_status, j.other_variant)
        and j.was_other = j.is_mine),
    stored_points as (
      insert into board_points (point_id, status, kind, workload, system_id, trust, unnamed, shape_id)
      select h.point_id, h.status, h.kind, h.workload, h.system_id, h.trust, h.unnamed, known.id
      from shapes h
      cross join lateral (select id from point_shapes where md5(shape) = md5(h.shape) offset 0) known
      -- What was there goes first.
      where (select count(*) from gone_points) >= 0
      returning *),
    stored_figures as (
      insert into board_figures (${boundFigureColumns}) ${boundFigures}
      where (select count(*) from gone_figures) >= 0),
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
      select b.metric, b.definition_group, r.tools[1] as tool, sum(r.by * ${squaresOf})::text as squares,
        sum(r.by * (r.n - 1))::int as df, sum(r.by)::int as groups
      from (
        select board_id, status, worth, n, sd, tools, 1 as by from fresh where n >= 2
        union all select board_id, status, worth, n, sd, tools, -1 from gone where n >= 2) r
      cross join lateral (select metric, definition_group from boards where id = r.board_id offset 0) b
      where ${scatters}
      group by 1, 2, 3)
  select (select coalesce(json_agg(d), '[]') from systems_by d) as systems,
    (select coalesce(json_agg(d), '[]') from totals_by d) as totals,
    (select coalesce(json_agg(d), '[]') from scatter_by d) as scatter,
    (select count(*) from fresh) = (select count(*) from figures where is_walked) + (select count(*) from shapes)
      and (select count(*) from stored_points) = (select count(*) from shapes) as "isWhole"`);

const storeFew = storeOf(freshRowsOfFew);
const storeMany = storeOf(freshRows);

/** Points up to which a plan for a few is as good as their own. */
const usualPoints = 100;

/**
 * Brings what boards read of some points up to their statistics, in the transaction that changed those. Their systems are
 * locked: of each one row on a board is the best.
 */
export async function rankPoints(tx: Transaction, pointIds: readonly number[]): Promise<void> {
  const sorted = [...new Set(pointIds)].sort((a, b) => a - b);
  if (sorted.length === 0) return;
  const ids = idArray(sorted);
  const how = { isUnusual: sorted.length > usualPoints };
  const store = how.isUnusual ? storeMany : storeFew;
  const [, changes] = await atOnce([lockSystems(tx, { ids }, how), store(tx, { ids }, how)]);
  if (!changes.every(({ isWhole }) => isWhole)) {
    // Nearly always there are all boards already. What is stored again changes by what is added.
    const [, more] = await atOnce([makeBoards(tx, { ids }, how), store(tx, { ids }, how)]);
    changes.push(...more);
  }
  await addUp(tx, {
    systems: changes.flatMap(({ systems }) => systems),
    totals: changes.flatMap(({ totals }) => totals),
    scatter: changes.flatMap(({ scatter }) => scatter),
  });
}

const addTotals = prepared<{ totals: string }>(sql`
  insert into board_totals (kind, workload, fact, name, status, trust, unnamed, shape_id, points)
  select kind, workload, fact, name, status, trust, unnamed, shape_id, sum(points)
  from jsonb_to_recordset(${value('totals')}::jsonb)
    as d(kind text, workload text, fact text, name text, status text, trust text, unnamed smallint, shape_id int, points int)
  group by 1, 2, 3, 4, 5, 6, 7, 8 order by 1, 2, 3, 4, 5, 6, 7, 8
  on conflict (kind, workload, fact, name, status, trust, unnamed, shape_id)
    do update set points = board_totals.points + excluded.points`);

const addScatter = prepared<{ scatter: string }>(sql`
  insert into tool_scatter (metric, definition_group, tool, squares, df, groups)
  select metric, definition_group, tool, sum(squares), sum(df), sum(groups)
  from jsonb_to_recordset(${value('scatter')}::jsonb)
    as d(metric text, definition_group text, tool text, squares numeric, df int, groups int)
  group by 1, 2, 3 order by 1, 2, 3
  on conflict (metric, definition_group, tool) do update
    set squares = tool_scatter.squares + excluded.squares, df = tool_scatter.df + excluded.df,
      groups = tool_scatter.groups + excluded.groups`);

const addSystems = prepared<{ systems: string }>(sql`
  with d as materialized (
    select board, fact, name, sum(by)::int as by
    from jsonb_to_recordset(${value('systems')}::jsonb) as d(board int, fact text, name text, by int) group by 1, 2, 3),
  locked as (select b.id from boards b where b.id in (select board from d) order by b.id for no key update),
  of_facts as (
    insert into board_systems (board_id, fact, name, systems)
    select board, fact, name, by from d where fact <> '' and (select count(*) from locked) > 0
    order by 1, 2, 3
    on conflict (fact, name, board_id) do update set systems = board_systems.systems + excluded.systems)
  update boards b set systems = b.systems + d.by
  from d join locked on locked.id = d.board where d.fact = '' and b.id = d.board`);

/** Takes changes into the sums. They are locked in their order, and last, for no longer than the commit takes. */
async function addUp(tx: Transaction, { systems, totals, scatter }: Changes): Promise<void> {
  await atOnce([
    totals.length === 0 ? null : addTotals(tx, { totals: JSON.stringify(totals) }),
    scatter.length === 0 ? null : addScatter(tx, { scatter: JSON.stringify(scatter) }),
    systems.length === 0 ? null : addSystems(tx, { systems: JSON.stringify(systems) }),
  ]);
}
