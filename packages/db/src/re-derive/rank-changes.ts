import type { MetricName } from '@inferboard/core/metrics/index';
import { preferredRanks, rankableMetrics } from '@inferboard/core/ranking/default-rank';
import type { ResultStatus, Trust } from '@inferboard/core/subjects/result';
import { sql } from 'drizzle-orm';
import type { LoadColumns } from '../boards/lists/row-types.ts';
import type { Database } from '../connection/client.ts';
import type { Queryable } from '../connection/transaction.ts';
import { texts } from '../copy/bulk.ts';
import { takeRows } from '../copy/take-rows.ts';
import { snapshotRanks } from './rank-snapshot.ts';

/** Metrics that boards rank by, preferred ones first. */
const preferredFirst: readonly MetricName[] = [
  ...new Set([...preferredRanks, ...rankableMetrics.map(({ name }) => name)]),
];

/** The fields of a result that determine its rank by one metric. */
export interface RankedFacts {
  system: string;
  workload: string;
  load: { key: string; mode: LoadColumns['load_mode']; level: number | null };
  status: ResultStatus;
  trust: Trust;
  copy_of: string | null;
  value: number | null;
  definition: string | null;
  repeats: unknown;
}

/** A changed result. `before` is null if it was uploaded meanwhile. */
export interface ResultMove {
  id: string;
  before: RankedFacts | null;
  after: RankedFacts;
}

/** A system whose rank on a board of systems changed. A rank or value is null if the system is not on the board. */
export interface RankChange {
  place: number;
  workload: string;
  metric: string;
  /** The ranked formula group; empty if none is recorded. */
  definition: string;
  system: string;
  rank_before: number | null;
  rank_after: number | null;
  value_before: number | null;
  value_after: number | null;
  /** Whether the system's own value, claim or point changed, and not only other systems. */
  is_own: boolean;
  /** The first changed results at the points it ranked by before and after. */
  results: ResultMove[];
  /** Total number of those results. */
  results_count: number;
}

/** Maximum results to return per rank. */
const resultsMax = 3;

/** Stores the ranks, and the point and status of every result, in temporary tables of the session. */
export async function noteRanks(db: Database['db']): Promise<void> {
  await db.transaction(
    async (tx) => {
      await tx.execute(sql`set local statement_timeout = 0`);
      await tx.execute(sql`
        create temporary table results_before
          (id text primary key, point_id bigint not null, status text not null, trust text not null, copy_of text)`);
      await tx.execute(sql`insert into results_before select id, point_id, status, trust, copy_of from results`);
      await tx.execute(sql`analyze results_before`);
      await snapshotRanks(tx, 'ranks_before');
    },
    { accessMode: 'read write', isolationLevel: 'repeatable read' },
  );
}

/** Finds the ranks that changed since `noteRanks`, for `listRankChanges`. Returns their number. */
export async function compareRanks(db: Database['db'], rederivationId: string): Promise<number> {
  const metrics = texts(preferredFirst);
  return db.transaction(
    async (tx) => {
      await snapshotRanks(tx, 'ranks_after');
      await tx.execute(sql`
        create temporary table result_changes (id text, point_before bigint, point_after bigint, was jsonb)`);
      await tx.execute(sql`
        insert into result_changes
        select r.id, b.point_id, r.point_id, v.was
        from results r left join results_before b on b.id = r.id
        left join (
          select distinct on (result_id) result_id, was from result_versions
          where rederivation_id = ${rederivationId} order by result_id, version desc) v on v.result_id = r.id
        where v.result_id is not null
          or (b.point_id, b.status, b.trust, b.copy_of) is distinct from (r.point_id, r.status, r.trust, r.copy_of)`);
      await tx.execute(sql`create index on result_changes (point_before)`);
      await tx.execute(sql`create index on result_changes (point_after)`);
      await tx.execute(sql`
        create temporary table rank_changes (place int primary key, metric text, workload text, definition text,
          system_id text, rank_before int, rank_after int, value_before float8, value_after float8,
          point_before bigint, point_after bigint, is_own boolean)`);
      const counted = (await tx.execute(sql`
        with inserted as (
          insert into rank_changes
          select row_number() over (
              order by array_position(${metrics}, metric), workload, definition, coalesce(a.rank, b.rank), system_id),
            metric, workload, definition, system_id, b.rank, a.rank, b.value, a.value, b.point_id, a.point_id,
            (b.value, b.point_id, b.account_id, b.own_trust, b.disputed)
              is distinct from (a.value, a.point_id, a.account_id, a.own_trust, a.disputed)
          from ranks_before b full join ranks_after a using (metric, workload, definition, system_id)
          where b.rank is distinct from a.rank
          returning 1)
        select count(*)::int as n from inserted`)) as unknown as { n: number }[];
      await tx.execute(sql`analyze rank_changes`);
      await tx.execute(sql`analyze result_changes`);
      return counted[0]?.n ?? 0;
    },
    { accessMode: 'read write', isolationLevel: 'repeatable read' },
  );
}

/** The next page of ranks that `compareRanks` found. Ranks by default metrics come first. */
export async function listRankChanges(
  db: Queryable,
  { after, limit }: { after: number; limit: number },
): Promise<RankChange[]> {
  const bases = JSON.stringify(Object.fromEntries(rankableMetrics.map(({ name, family }) => [name, family.base])));
  const point = sql`'system', s.label, 'workload', p.workload,
    'load', jsonb_build_object('key', p.load_key, 'mode', p.load_mode, 'level', p.load_level)`;
  // A result without an earlier version has unchanged figures.
  const figures = (row: ReturnType<typeof sql>) => sql`
    'value', ${row} -> c.metric, 'definition', ${row} -> 'definitions' -> (${bases}::jsonb ->> c.metric),
    'repeats', nullif(jsonb_strip_nulls(${row} -> 'repeats'), 'null')`;
  const rows = (await db.execute(sql`
    select c.place, c.workload, c.metric, c.definition, own.label as system, c.rank_before, c.rank_after, c.value_before,
      c.value_after, c.is_own, moved.results, moved.results_count
    from rank_changes c
    join systems own on own.id = c.system_id
    cross join lateral (
      select coalesce(jsonb_agg(jsonb_build_object('id', id, 'before', before, 'after', after) order by id)
          filter (where nth <= ${resultsMax}), '[]') as results, count(*)::int as results_count
      from (
        select x.id, b.facts as before, a.facts as after, row_number() over (order by x.id) as nth
        from result_changes x
        join results r on r.id = x.id
        cross join lateral (select to_jsonb(r) as row) n
        cross join lateral (
          select jsonb_build_object(${point}, 'status', r.status, 'trust', r.trust, 'copy_of', r.copy_of, ${figures(sql`n.row`)})
            as facts
          from points p join systems s on s.id = p.system_id where p.id = x.point_after) a
        left join lateral (
          select jsonb_build_object(${point}, 'status', k.status, 'trust', k.trust, 'copy_of', k.copy_of,
            ${figures(sql`coalesce(x.was, n.row)`)}) as facts
          from results_before k join points p on p.id = k.point_id join systems s on s.id = p.system_id
          where k.id = x.id) b on true
        where (x.point_before in (c.point_before, c.point_after) or x.point_after in (c.point_before, c.point_after))
          and b.facts is distinct from a.facts) changed) moved
    where c.place > ${after} order by c.place limit ${limit}`)) as unknown as RankChange[];
  return takeRows(rows);
}
