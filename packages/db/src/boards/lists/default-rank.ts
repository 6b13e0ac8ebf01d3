import type { Filters } from '@inferboard/core/filters/filters';
import type { MetricName } from '@inferboard/core/metrics/index';
import { bySystems, type Choice, switchChoice } from '@inferboard/core/ranking/choice';
import {
  chooseRank,
  metricKinds,
  preferredRanks,
  rankableMetrics,
  workloadWithRank,
} from '@inferboard/core/ranking/default-rank';
import type { Dimension } from '@inferboard/core/ranking/subject';
import { allowsWorkload } from '@inferboard/core/ranking/workload-choice';
import { type SQL, sql } from 'drizzle-orm';
import type { Database, Transaction } from '../../connection/client.ts';
import { texts } from '../../copy/bulk.ts';
import { atOneMoment } from '../../service/moment.ts';
import { type BoardAsking, resolveMetrics } from '../board-scope.ts';
import { countPreferred } from '../count-systems.ts';
import { type Asking, sourceOf } from '../source.ts';
import { and } from './filter-conditions.ts';
import { chooseFullest } from './fullest-workload.ts';

/** The default metric and workload of a board. */
export interface FoundDefault {
  workload: Choice | null;
  /** The default metric; null if no point matches the filters. */
  rank: Choice | null;
}

/** Maximum points to search for a metric if none of the preferred ones occurs. */
const pointsMax = 500;

/** Finds the metric that the most systems of some points have. Ties: the first in the registry. */
async function readCommonMetric(tx: Transaction, asking: Asking, workloads: readonly string[]): Promise<Choice | null> {
  const counts: SQL = sql.join(
    rankableMetrics.map(({ name }) => {
      const column = sql.identifier(name);
      return sql`(count(distinct k.system_id) filter (where t.${column} is not null))::int as ${column}`;
    }),
    sql`, `,
  );
  const source = sourceOf(asking);
  const [counted = {}] = (await tx.execute(sql`
    select ${counts} from (
      select distinct r.point_id, r.status, r.system_id from ${source.from}
      where ${and([...source.where, sql`r.workload = any(${texts(workloads)})`])}
      order by r.point_id limit ${pointsMax}) k
    join point_statistics t on t.point_id = k.point_id and t.status = k.status and t.stands`)) as unknown as Partial<
    Record<MetricName, number>
  >[];
  const found = rankableMetrics.map(({ name }) => ({ id: name, systems: counted[name] ?? 0 }));
  const [first, ...others] = bySystems(found, () => 0);
  return first === undefined ? null : { ...first, because: 'most_systems', others };
}

/**
 * The workload that ranks if the systems of the chosen one have no default metric: a latency alone does not order systems. Null if
 * the request names the workload or no other has such a metric.
 */
async function findRankedWorkload(
  tx: Transaction,
  asking: Asking,
  { because, others }: Choice,
): Promise<string | null> {
  const workloads = others.map(({ id }) => id).filter((id) => allowsWorkload(asking.filters, id));
  if (because === 'asked' || workloads.length === 0) return null;
  const counted = [];
  for (const metric of preferredRanks) counted.push(await countPreferred(tx, asking, { workloads, metrics: [metric] }));
  return workloadWithRank(counted);
}

/** The request for a default. */
interface DefaultAsking {
  filters: Filters;
  dimensions: readonly Dimension[];
  /**
   * `question`: another workload is chosen if no system of the one with the most has a default metric. `matrix`: the workload
   * whose matrix compares the most, if one has a default metric.
   */
  purpose: 'board' | 'question' | 'matrix';
}

/** The workload that the purpose of the request prefers to the one with the most systems; null if there is none. */
async function findOther(
  tx: Transaction,
  asking: BoardAsking,
  { purpose, workload, isRanked }: { purpose: DefaultAsking['purpose']; workload: Choice | null; isRanked: boolean },
): Promise<Choice | null> {
  if (workload === null || purpose === 'board') return null;
  if (purpose === 'matrix') return await chooseFullest(tx, asking, workload);
  const id = isRanked ? null : await findRankedWorkload(tx, asking, workload);
  return id === null ? null : switchChoice(workload, id, 'default_metric');
}

/**
 * Finds the workload with the most systems under the filters, by any metric, and the metric that ranks it. Serving results take
 * precedence; otherwise the first kind with results applies. A question or a matrix may prefer another workload.
 */
export function findBoardDefault(
  db: Database['db'],
  { filters, dimensions, purpose }: DefaultAsking,
): Promise<FoundDefault> {
  return atOneMoment(db, async (tx) => {
    for (const kind of metricKinds) {
      const asking = { kind, metrics: [], filters, dimensions, definition: null, prefers: preferredRanks };
      const { workload, workloads, ...counted } = await resolveMetrics(tx, asking, preferredRanks);
      if (counted.systems === 0) continue;
      const rankOf = ({ each, systems }: typeof counted) =>
        chooseRank(
          preferredRanks.map((id, at) => ({ id, systems: each[at] ?? 0 })),
          systems,
        );
      const rank = rankOf(counted);
      const other = await findOther(tx, asking, { purpose, workload, isRanked: rank !== null });
      if (other === null) return { workload, rank: rank ?? (await readCommonMetric(tx, asking, workloads)) };
      const within = { ...asking, filters: { ...filters, workload: [other.id] } };
      return { workload: other, rank: rankOf(await resolveMetrics(tx, within, preferredRanks)) };
    }
    return { workload: null, rank: null };
  });
}
