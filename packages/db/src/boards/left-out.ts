import { splitFacts } from '@inferboard/core/filters/fact-names';
import type { ChosenDefinitions } from '@inferboard/core/ranking/formulas';
import { countExcluded, type PointCount } from '@inferboard/core/ranking/point-count';
import { type SQL, sql } from 'drizzle-orm';
import { executeOften, value } from '../connection/statement.ts';
import type { Queryable } from '../connection/transaction.ts';
import { texts, wordArray } from '../copy/bulk.ts';
import { preparedForMoment } from '../service/moment.ts';
import type { BoardScope } from './board-scope.ts';
import { ofAsked } from './count-systems.ts';
import { countUnpriced } from './count-unpriced.ts';
import { and, pointConditions, someResult } from './lists/filter-conditions.ts';
import { type Asking, joinsOf, sourceOf } from './source.ts';

/** Maximum points to search for exclusions if no stored count has the answer. */
export const lookedAtMost = 10_000;

export interface LeftOut {
  /** Number of excluded points by reason. */
  excluded: Record<string, number>;
  /** True if the search ended after `lookedAtMost` points, so that the counts are lower bounds. */
  isExcludedAtLeast: boolean;
}

interface Counting extends Asking {
  /** Whether to search all points, without a limit. */
  countsAll?: boolean;
}

const atMost = ({ countsAll = false }: Counting): SQL => (countsAll ? sql`` : sql.raw(`limit ${lookedAtMost + 1}`));

const isBeyond = ({ countsAll = false }: Counting, points: number) => !countsAll && points > lookedAtMost;
const sumOf = (counts: readonly { points: number }[]) => counts.reduce((sum, { points }) => sum + points, 0);

const totalsOf = preparedForMoment<{ kind: string; workloads: string; fact: string; names: string }, PointCount>(sql`
  select c.workload, c.status, c.trust, c.unnamed, h.shape, null as variants, sum(c.points)::int as points
  from board_totals c join point_shapes h on h.id = c.shape_id
  where c.kind = ${value('kind')} and c.workload = any(${value('workloads')}::text[])
    and c.fact = ${value('fact')} and c.name = any(${value('names')}::text[]) and c.points > 0
  group by 1, 2, 3, 4, 5`);

/** Reads the stored counts of all points, or of the points with one model or GPU. */
async function readTotals(
  db: Queryable,
  { kind, filters }: Asking,
  workloads: readonly string[],
): Promise<PointCount[]> {
  const [{ fact, names } = { fact: '', names: [''] }] = splitFacts(filters).facts;
  return totalsOf(db, { kind, workloads: wordArray(workloads), fact, names: wordArray(names) });
}

/** Rows `c` of points with the requested model and GPU. */
function pointsWith({ kind, filters }: Asking, workloads: readonly string[]): SQL {
  const { facts } = splitFacts(filters);
  const inWorkloads = sql`kind = ${kind} and workload = any(${texts(workloads)})`;
  if (facts.length === 0) return sql`(select * from board_points where ${inWorkloads}) c`;
  return sql`(
    select own.* from boards b join board_figures f on f.board_id = b.id and f.variant = 0
    join board_points own on own.point_id = f.point_id and own.status = f.status
    where b.metric = '' and b.kind = ${kind} and b.workload = any(${texts(workloads)})
      and ${and(facts.map(({ fact, names }) => sql`f.${sql.identifier(fact)} = any(${texts(names)})`))}) c`;
}

interface Looked {
  counts: PointCount[];
  isAtLeast: boolean;
}

/** Counts the points of some workloads that match the filters, by status, trust, missing facts and metrics. */
async function readCounts(db: Queryable, asking: Counting, workloads: readonly string[]): Promise<Looked> {
  const { filters, metrics } = asking;
  const { facts, others: rest } = splitFacts(filters);
  const { workload: _, regime: _r, ...others } = rest;
  const ofSenders = someResult(filters, metrics[0]);
  const conditions = pointConditions(others);
  if (conditions.length === 0 && ofSenders.length === 0 && facts.length <= 1)
    return { counts: await readTotals(db, asking, workloads), isAtLeast: false };
  const sent =
    ofSenders.length === 0
      ? sql`null::int[]`
      : sql`(
        select array_agg(t.variant::int order by t.variant) from point_statistics t
        where t.point_id = c.point_id and t.status = c.status and t.stands and ${and(ofSenders)})`;
  const looked = await executeOften<PointCount>(
    db,
    sql`
    select q.workload, q.status, q.trust, q.unnamed, h.shape, q.variants, q.points
    from (
      select workload, status, trust, unnamed, shape_id, variants, count(*)::int as points
      from (
        select c.workload, c.status, c.trust, c.unnamed, c.shape_id, ${sent} as variants
        from ${pointsWith(asking, workloads)} ${joinsOf(others, sql`c`)}
        where ${and(conditions)} ${atMost(asking)}) q
      group by 1, 2, 3, 4, 5, 6) q
    join point_shapes h on h.id = q.shape_id`,
  );
  return {
    counts: ofSenders.length === 0 ? looked : looked.filter(({ variants }) => variants !== null),
    isAtLeast: isBeyond(asking, sumOf(looked)),
  };
}

/** Counts the points that match but have the metrics by other formulas. */
async function countOtherFormulas(
  db: Queryable,
  asking: Counting,
  { workloads, chosen }: { workloads: readonly string[]; chosen: readonly (ChosenDefinitions | null)[] },
): Promise<{ points: number; isAtLeast: boolean }> {
  if (chosen.every((group) => group === null)) return { points: 0, isAtLeast: false };
  const source = sourceOf(asking);
  const [found] = await executeOften<{ points: number; claims: number }>(
    db,
    sql`
    select count(*) filter (where not is_compared)::int as points, coalesce(sum(claims), 0)::int as claims from (
      select bool_or(is_compared) as is_compared, count(*) as claims from (
        select r.point_id, r.status, ${ofAsked(asking.metrics, chosen)} as is_compared from ${source.from}
        where ${and([...source.where, sql`r.workload = any(${texts(workloads)})`])} ${atMost(asking)}) q
      group by point_id, status) q`,
  );
  return { points: found?.points ?? 0, isAtLeast: isBeyond(asking, found?.claims ?? 0) };
}

/** Counts the points that a board excludes, by reason. */
export async function countLeftOut(
  db: Queryable,
  asking: Counting,
  { workloads, chosen, isOnly }: Pick<BoardScope, 'workloads' | 'chosen' | 'isOnly'>,
): Promise<LeftOut> {
  const { filters } = asking;
  // Points with unpriced GPUs are counted separately below.
  const unpriced = { ...asking, filters: { ...filters, prices: undefined } };
  const { counts, isAtLeast } = await readCounts(db, unpriced, workloads);
  const excluded = {
    ...countExcluded(counts, asking, chosen),
    ...(await countUnpriced(db, asking, workloads, ofAsked(asking.metrics, chosen))),
  };
  if (filters.bounds.length === 0 || isOnly) return { excluded, isExcludedAtLeast: isAtLeast };
  const others = await countOtherFormulas(db, asking, { workloads, chosen });
  return {
    excluded: others.points === 0 ? excluded : { ...excluded, other_definition: others.points },
    isExcludedAtLeast: isAtLeast || others.isAtLeast,
  };
}
