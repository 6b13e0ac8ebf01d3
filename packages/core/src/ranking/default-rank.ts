import { type MetricName, metrics } from '../metrics/index.ts';
import type { MetricKind } from '../metrics/metric.ts';
import { type Alternative, bySystems, type Choice } from './choice.ts';

/** Kinds of metrics, in the order in which a board without a metric looks for results. */
export const metricKinds: readonly MetricKind[] = ['serving', 'kernel', 'training', 'quality'];

/** What a board ranks by if nobody says: the first that enough of the systems have. */
export const preferredRanks = [
  'output_tok_s_per_gpu',
  'output_tok_s',
  'decode_tok_s',
  'user_tok_s',
  'req_s',
] as const satisfies readonly MetricName[];

/** What a board ranks by where no system has any of these, in the order of the registry. */
export const rankableMetrics = metrics.filter(
  ({ family, statistic }) => family.direction !== 'neutral' && statistic !== 'sd',
);

/** Share of the systems that must have a metric for it to rank them. */
const enough = 0.6;

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
