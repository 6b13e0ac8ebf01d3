import type { Filters } from '@inferboard/core/filters/filters';
import type { MetricName } from '@inferboard/core/metrics/index';
import { bySystems, type Choice } from '@inferboard/core/ranking/choice';
import { chooseRank, metricKinds, preferredRanks, rankableMetrics } from '@inferboard/core/ranking/default-rank';
import type { Dimension } from '@inferboard/core/ranking/subject';
import { type SQL, sql } from 'drizzle-orm';
import { settleMetrics } from '../boards/settle.ts';
import { type Asking, sourceOf } from '../boards/source.ts';
import { texts } from '../bulk.ts';
import type { Database, Transaction } from '../client.ts';
import { and } from './filter-conditions.ts';
import { atOneMoment } from './leaderboard-list.ts';

/** What a board ranks by that names no metric, and of which workload. */
export interface FoundDefault {
  workload: Choice | null;
  /** The choice among metrics; null where nothing meets the filters. */
  rank: Choice | null;
}

/** Points that are looked at for a metric, where none of the preferred ones is there. */
const pointsMax = 500;

/** Of all metrics the one that the most systems of some points have; of equals the first of the registry. */
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
 * The workload with the most systems under the filters, by any metric, and the metric that ranks it: of
 * serving results, else of the first kind that there is.
 */
export function findBoardDefault(
  db: Database['db'],
  { filters, dimensions }: { filters: Filters; dimensions: readonly Dimension[] },
): Promise<FoundDefault> {
  return atOneMoment(db, async (tx) => {
    for (const kind of metricKinds) {
      const asking = { kind, metrics: [], filters, dimensions, definition: null, prefers: preferredRanks };
      const { workload, workloads, systems, each } = await settleMetrics(tx, asking, preferredRanks);
      if (systems === 0) continue;
      const rank = chooseRank(
        preferredRanks.map((id, at) => ({ id, systems: each[at] ?? 0 })),
        systems,
      );
      return { workload, rank: rank ?? (await readCommonMetric(tx, asking, workloads)) };
    }
    return { workload: null, rank: null };
  });
}
