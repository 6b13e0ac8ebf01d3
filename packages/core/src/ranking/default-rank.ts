import { type Metric, type MetricName, metrics } from '../metrics/index.ts';
import { type CensusQuestion, takeCensus } from './census.ts';
import { type Alternative, bySystems, type Choice } from './choice.ts';
import { countSystems } from './count-systems.ts';
import { metricKinds, type PointTable } from './point-table.ts';
import { listRows } from './row-set.ts';

/** What a board ranks by if nobody says: the first that enough of the systems have. */
export const preferredRanks = [
  'output_tok_s_per_gpu',
  'output_tok_s',
  'decode_tok_s',
  'user_tok_s',
  'req_s',
] as const satisfies readonly MetricName[];

/** Whether boards rank by a metric: one value is better than another, and it says how fast, not how scattered. */
export const isRankable = ({ family, statistic }: Metric): boolean =>
  family.direction !== 'neutral' && statistic !== 'sd';

const preferred: readonly MetricName[] = preferredRanks;

/** Every metric that boards rank by: the preferred ones first, then the others in the order of the registry. */
export const rankableMetrics: readonly Metric[] = [
  ...preferred.flatMap((name) => metrics.filter((metric) => metric.name === name)),
  ...metrics.filter((metric) => isRankable(metric) && !preferred.includes(metric.name)),
];

/** Share of the systems that must have a metric for it to rank them. */
const enough = 0.6;

/** What would be ranked by whatever metric, and the metric that ranks it. */
export interface DefaultRank {
  workload: Choice | null;
  /** Null where no system has a preferred metric. */
  rank: Choice | null;
  /** Rows of the workload that meet the filters, in order. */
  rows: Int32Array;
}

/** The first of the metrics that enough of the systems have, else the one that most have. */
export function chooseRank(counted: readonly Alternative[], systems: number): Choice | null {
  const [most] = bySystems(counted, () => 0);
  if (most === undefined) return null;
  const chosen = counted.find((one) => one.systems >= enough * systems) ?? most;
  const others = counted
    .filter((one) => one !== chosen && one.systems > 0)
    .map(({ id, systems: n }) => ({ id, systems: n }));
  return { id: chosen.id, systems: chosen.systems, because: 'most_systems', others };
}

/**
 * The workload with the most systems under the filters, whatever was measured of them, and the metric that ranks it: of
 * serving results, else of the first kind that there is.
 */
export function findDefaultRank(
  table: PointTable,
  question: Omit<CensusQuestion, 'kind' | 'metrics' | 'definition'>,
): DefaultRank {
  let found: DefaultRank = { workload: null, rank: null, rows: new Int32Array() };
  for (const kind of metricKinds) {
    const { workload, rows: set } = takeCensus(table, {
      ...question,
      kind,
      metrics: [],
      definition: null,
      prefers: preferredRanks,
    });
    const rows = listRows({ set, limits: [] });
    if (rows.length === 0) continue;
    const countOf = (of: Int32Array) => countSystems(table, of, () => 0, 1)[0] as number;
    const counted = preferredRanks.map((id) => {
      const values = table.values(id);
      return { id, systems: countOf(rows.filter((row) => !Number.isNaN(values[row]))) };
    });
    found = { workload, rank: chooseRank(counted, countOf(rows)), rows };
    break;
  }
  return found;
}
