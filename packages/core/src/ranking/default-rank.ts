import { type MetricName, metrics } from '../metrics/index.ts';
import type { MetricKind } from '../metrics/metric.ts';
import { type Alternative, bySystems, type Choice } from './choice.ts';
import { byRegime } from './workload-choice.ts';

/** Kinds of metrics, in the order in which a board without a stated metric looks for results. */
export const metricKinds: readonly MetricKind[] = ['serving', 'kernel', 'training', 'quality'];

/** Default metrics of boards: the first that enough of the systems have. */
export const preferredRanks = [
  'output_tok_s_per_gpu',
  'output_tok_s',
  'decode_tok_s',
  'user_tok_s',
  'req_s',
] as const satisfies readonly MetricName[];

/** Fallback metrics if no system has a preferred one, in registry order. */
export const rankableMetrics = metrics.filter(
  ({ family, statistic }) => family.direction !== 'neutral' && statistic !== 'sd',
);

/** Minimum share of the systems that must have a metric for it to rank them. */
const enough = 0.6;

/**
 * The workload of a board if no system of the workload with the most systems has a default metric: the one with the most systems
 * that have the first default metric that any has. Null if none has one.
 *
 * @param counted the systems of each workload that have a metric, for each default metric in order
 */
export function workloadWithRank(counted: readonly ReadonlyMap<string, number>[]): string | null {
  const first = counted.find((systems) => Math.max(0, ...systems.values()) > 0);
  const workloads = [...(first ?? [])].map(([id, systems]) => ({ id, systems }));
  return bySystems(workloads, byRegime)[0]?.id ?? null;
}

/** Chooses the first metric that enough of the systems have, else the one that most have. */
export function chooseRank(counted: readonly Alternative[], systems: number): Choice | null {
  const [most] = bySystems(counted, () => 0);
  if (most === undefined) return null;
  const chosen = counted.find((one) => one.systems >= enough * systems) ?? most;
  const others = counted
    .filter((one) => one !== chosen && one.systems > 0)
    .map(({ id, systems: n }) => ({ id, systems: n }));
  return { id: chosen.id, systems: chosen.systems, because: 'most_systems', others };
}
