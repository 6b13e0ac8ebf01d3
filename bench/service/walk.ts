// The bare walk: the minimum work of PostgreSQL for a board. It reads the rows of one board in rank order, applies the filters,
// and returns the entries of one page with all their stored data. It counts nothing, has no intervals, and gets the number of
// rows to read as a parameter.
import { type SQL, sql } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import type { Sql } from 'postgres';
import { z } from 'zod';
import type { Filters } from '../../packages/core/src/filters/filters.ts';
import { boundShape, filterShape, toFilters } from '../../packages/core/src/filters/parameters.ts';
import { metricNames } from '../../packages/core/src/metrics/index.ts';
import { requiredFacts } from '../../packages/core/src/ranking/point-count.ts';
import { and, boundConditions, pointConditions } from '../../packages/db/src/boards/lists/filter-conditions.ts';
import { columnList } from '../../packages/db/src/copy/bulk.ts';
import type { Service } from '../chaos/processes.ts';
import type { Statement } from './bare-clients.ts';
import { readAnswer } from './ground.ts';

const entriesOfPage = 50;
const FilterSchema = z.object({ ...filterShape, ...boundShape });
const dialect = new PgDialect({ casing: 'snake_case' });

function compile(query: SQL): Statement {
  const { sql: text, params } = dialect.sqlToQuery(query);
  return { text, values: params as Statement['values'] };
}

interface Answer {
  rank_by: string;
  workload: { id: string } | null;
  definition: { id: string } | null;
  data: { system: { id: string } }[];
}

/** Rows `r` of one board that match the filters, in rank order. */
function rowsInOrder(board: number, filters: Filters): SQL {
  const facts = pointConditions(filters);
  const isBounded = filters.bounds.length > 0;
  return sql`
    select r.point_id, r.status, r.variant, r.system_id, r.worth, r.disputed
    from board_rows r
    ${isBounded ? sql`join point_statistics t on t.point_id = r.point_id and t.status = r.status and t.variant = r.variant and t.stands` : sql``}
    ${facts.length > 0 ? sql`join systems s on s.id = r.system_id` : sql``}
    where r.board_id = ${board} and r.status = 'accepted' and ${isBounded ? sql`r.is_first` : sql`r.is_best`}
      and (r.unnamed & ${sql.raw(String(requiredFacts({ filters, dimensions: ['system'] })))}) = 0
      and ${and([...boundConditions(filters.bounds), ...facts])}
    order by r.worth desc, r.disputed, r.system_id collate "C", r.point_id`;
}

/** Number of rows to read for a page of systems. */
async function countRows(client: Sql, board: number, filters: Filters): Promise<number> {
  const { text, values } = compile(rowsInOrder(board, filters));
  const systems = new Set<string>();
  let read = 0;
  for await (const rows of client.unsafe<{ system_id: string }[]>(text, [...values]).cursor(500)) {
    for (const { system_id: system } of rows) {
      read += 1;
      systems.add(system);
      if (systems.size === entriesOfPage) return read;
    }
  }
  return read + 1;
}

const pointColumns = columnList(
  ['point_id', 'status', 'account_id', 'own_trust', 'definitions', 'derived', 'results', 'trust', ...metricNames],
  (quoted) => `t.${quoted}`,
);

function page(board: number, filters: Filters, rows: number): Statement {
  return compile(sql`
    with walked as materialized (${rowsInOrder(board, filters)} limit ${sql.raw(String(rows))}),
      entries as materialized (
        select * from (
          select distinct on (system_id) * from walked order by system_id, worth desc, disputed, point_id) best
        order by worth desc, disputed, system_id collate "C" limit ${sql.raw(String(entriesOfPage))})
    select e.system_id, e.worth, to_json(s) as system, to_json(sc) as scenario,
      (select to_json(q) from (select ${pointColumns}, p.load_mode, p.load_level, p.load_detail, p.kind) q) as point
    from entries e
    join point_statistics t on t.point_id = e.point_id and t.status = e.status and t.variant = e.variant and t.stands
    join points p on p.id = e.point_id
    join systems s on s.id = e.system_id
    join scenarios sc on sc.id = p.scenario_id
    order by e.worth desc, e.disputed, e.system_id collate "C"`);
}

/** A board with its bare walk. */
export interface Walk {
  statement: Statement;
  /** True if it returns the service's entries in the same order. */
  isSame: boolean;
}

/** The bare walk of a board of the service; null without ranked entries. */
export async function bareWalk(client: Sql, service: Service, path: string): Promise<Walk | null> {
  const answer = await readAnswer<Answer>(service, path);
  const group = answer.definition?.id ?? null;
  const [board] = await client<{ id: number }[]>`
    select id from boards
    where kind = 'serving' and metric = ${answer.rank_by} and workload = ${answer.workload?.id ?? ''}
      and (${group}::text is null or definition_group = ${group})
    order by systems desc limit 1`;
  if (board === undefined) return null;
  const { rank_by: _, ...given } = Object.fromEntries(new URL(path, service.url).searchParams);
  const filters = toFilters(FilterSchema.parse(given));
  const statement = page(board.id, filters, await countRows(client, board.id, filters));
  const rows = await client.unsafe<{ system_id: string }[]>(statement.text, [...statement.values], { prepare: true });
  const same = rows.map(({ system_id: system }) => system).join() === answer.data.map(({ system }) => system.id).join();
  return { statement, isSame: same };
}
