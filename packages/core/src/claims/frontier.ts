import { type Finding, figure } from '../checks/check.ts';
import { findMetric, type MetricName } from '../metrics/index.ts';

/** Maximum ratio of a new account's claim to the highest representative claim. A higher claim is held. */
export const frontierFactor = 1.25;

/** Rates used to compare claims, each per GPU if it is a total of all GPUs. */
export const frontierMetrics: readonly { name: MetricName; isPerSystem: boolean }[] = [
  { name: 'output_tok_s', isPerSystem: true },
  { name: 'total_tok_s', isPerSystem: true },
  { name: 'req_s', isPerSystem: true },
  { name: 'decode_tok_s', isPerSystem: true },
  { name: 'prefill_tok_s', isPerSystem: true },
  { name: 'user_tok_s', isPerSystem: false },
];

/** Code of the finding that holds a new account's claim for exceeding all others. */
export const frontierCode = 'beyond_frontier';

/**
 * Returns the finding that holds a new account's claim, or null. The claim far exceeds every representative claim of its
 * model, GPU and quantization in its workload. `best` has the highest representative figures, per GPU as `frontierMetrics`
 * defines.
 */
export function frontierFinding(
  metrics: Partial<Record<MetricName, number>>,
  gpuCount: number,
  best: Partial<Record<MetricName, number | null>>,
): Finding | null {
  for (const { name, isPerSystem } of frontierMetrics) {
    const [value, highest] = [metrics[name], best[name]];
    if (value === undefined || highest === null || highest === undefined || highest <= 0) continue;
    const own = isPerSystem ? value / gpuCount : value;
    const factor = own / highest;
    if (factor <= frontierFactor) continue;
    const title = findMetric(name)?.title ?? name;
    const perGpu = isPerSystem ? ' per GPU' : '';
    return {
      code: frontierCode,
      severity: 'warning',
      message:
        `${title}${perGpu} is ${figure(own)}, ${figure(factor)} times the highest ranked figure of this model, GPU and ` +
        `quantization in this workload (${figure(highest)}). Results of new accounts above ${frontierFactor} times are held for review by an admin.`,
      evidence: { metric: name, value: own, highest, factor },
    };
  }
  return null;
}
