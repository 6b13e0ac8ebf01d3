import type { Filters } from '@inferboard/core/filters/filters';
import type { MetricName } from '@inferboard/core/metrics/index';
import { bySystems, type Choice } from '@inferboard/core/ranking/choice';
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
import { resolveMetrics } from '../board-scope.ts';
import { countPreferred } from '../count-systems.ts';
import { type Asking, sourceOf } from '../source.ts';
import { and } from './filter-conditions.ts';

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

/** The choice of one of the alternatives of a choice. */
function switched({ id: first, systems: most, others }: Choice, id: string): Choice {
  const systems = others.find((one) => one.id === id)?.systems ?? 0;
  const rest = [{ id: first, systems: most }, ...others].filter((one) => one.id !== id);
  return { id, systems, because: 'default_metric', others: rest };
}

/**
 * Finds the workload with the most systems under the filters, by any metric, and the metric that ranks it. Serving results take
 * precedence; otherwise the first kind with results applies.
 *
 * @param mayLeave whether another workload is chosen if the systems of that one have no default metric, as for a question
 */
export function findBoardDefault(
  db: Database['db'],
  { filters, dimensions, mayLeave }: { filters: Filters; dimensions: readonly Dimension[]; mayLeave: boolean },
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
      if (rank !== null) return { workload, rank };
      const id = workload === null || !mayLeave ? null : await findRankedWorkload(tx, asking, workload);
      if (workload === null || id === null) return { workload, rank: await readCommonMetric(tx, asking, workloads) };
      const within = { ...asking, filters: { ...filters, workload: [id] } };
      return { workload: switched(workload, id), rank: rankOf(await resolveMetrics(tx, within, preferredRanks)) };
    }
    return { workload: null, rank: null };
  });
}
