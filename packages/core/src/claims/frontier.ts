import { type Finding, figure } from '../checks/check.ts';
import { findMetric, type MetricName } from '../metrics/index.ts';

/** How far a claim of a new account may be above every standing claim before it is held. */
export const frontierFactor = 1.25;

/** Rates by which a claim is compared, each per GPU where it is that of all GPUs together. */
export const frontierMetrics: readonly { name: MetricName; isPerSystem: boolean }[] = [
  { name: 'output_tok_s', isPerSystem: true },
  { name: 'total_tok_s', isPerSystem: true },
  { name: 'req_s', isPerSystem: true },
  { name: 'decode_tok_s', isPerSystem: true },
  { name: 'prefill_tok_s', isPerSystem: true },
  { name: 'user_tok_s', isPerSystem: false },
];

/** Of the finding that holds a claim of a new account which is far above all others. */
export const frontierCode = 'beyond_frontier';

/**
 * Tells why a claim of a new account is held: it is far above every standing claim of its model, GPU and quantization in
 * its workload. Null where it is not. `best` are the highest standing figures, per GPU as `frontierMetrics` says.
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
        `${title}${perGpu} is ${figure(own)}, ${figure(factor)} times the highest standing figure of this model, GPU and ` +
        `quantization in this workload (${figure(highest)}). Results of new accounts beyond ${frontierFactor} times are held until an admin has looked.`,
      evidence: { metric: name, value: own, highest, factor },
    };
  }
  return null;
}
