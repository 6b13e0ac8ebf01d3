import type { Filters } from '@inferboard/core/filters/filters';
import { type MetricName, metrics } from '@inferboard/core/metrics/index';
import { bySystems, type Choice } from '@inferboard/core/ranking/choice';
import { findDefaultRank, isRankable, preferredRanks } from '@inferboard/core/ranking/default-rank';
import type { Dimension } from '@inferboard/core/ranking/subject';
import { sql } from 'drizzle-orm';
import type { Database, Transaction } from '../client.ts';
import { readPoints } from '../point-index/point-index.ts';
import { type RowKey, rowKeyOf, theRows } from '../point-index/row-key.ts';

/** What a board ranks by that names no metric, and of which workload. */
export interface FoundDefault {
  workload: Choice | null;
  /** The choice among metrics; null where nothing meets the filters. */
  rank: Choice | null;
}

/** Points that are looked at for a metric, where none of the preferred ones is there. */
const pointsMax = 500;

const rankable = metrics.filter(isRankable);

/** Of all metrics the one that the most systems of these points have; of equals the first of the registry. */
async function readCommonMetric(tx: Transaction, keys: readonly RowKey[]): Promise<Choice | null> {
  if (keys.length === 0) return null;
  const counts = sql.join(
    rankable.map(({ name }) => {
      const column = sql.identifier(name);
      return sql`(count(distinct p.system_id) filter (where t.${column} is not null))::int as ${column}`;
    }),
    sql`, `,
  );
  const [counted = {}] = (await tx.execute(sql`select ${counts} from ${theRows(keys)}`)) as unknown as Partial<
    Record<MetricName, number>
  >[];
  const found = rankable.map(({ name }) => ({ id: name, systems: counted[name] ?? 0 }));
  const [first, ...others] = bySystems(found, () => 0);
  return first === undefined ? null : { ...first, because: 'most_systems', others };
}

/** The workload and the metric that most of the systems under some filters have. */
export function findBoardDefault(
  db: Database['db'],
  { filters, dimensions }: { filters: Filters; dimensions: readonly Dimension[] },
): Promise<FoundDefault> {
  const values = [...new Set([...preferredRanks, ...filters.bounds.map(({ metric }) => metric)])];
  return readPoints(
    db,
    { needs: { values, figures: [], definitions: [] }, filters, ranked: null },
    (table, sent) => {
      const { workload, rank, rows } = findDefaultRank(table, { filters, dimensions, sent });
      const keys = rank === null ? Array.from(rows.subarray(0, pointsMax), (row) => rowKeyOf(table, row)) : [];
      return { workload, rank, keys };
    },
    async (tx, { workload, rank, keys }) => ({ workload, rank: rank ?? (await readCommonMetric(tx, keys)) }),
  );
}
