import { parseWorkload } from '@inferboard/core/workloads/workload-id';
import { costName } from '../prices/requested-prices.ts';

/** Metrics that "tokens per second" may mean, in the order to look for them: not the speed of reading prompts, and no time. */
export const speedNames = ['decode_tok_s', 'user_tok_s', 'output_tok_s_per_gpu', 'output_tok_s'] as const;

/** True for a metric that "tokens per second" may mean. */
export const isSpeed = (metric: string): boolean => speedNames.some((name) => name === metric);

/** True for metrics of a single request: a speed per user or a waiting time. */
export const isOfOneUser = (metric: string): boolean => /^(?:user_tok_s|(?:ttft|itl|tpot|e2e)_ms)/u.test(metric);

/** True for filters that limit a waiting time or the speed of one user. */
export const isLatencyBound = (filters: object): boolean =>
  Object.keys(filters).some((name) => isOfOneUser(name.replace(/^(?:min|max)_/u, '')));

/** Metrics that do not grow with the number of GPUs at the same load of each GPU. */
const perGpu: ReadonlySet<string> = new Set(['output_tok_s_per_gpu', 'tok_per_joule', 'mfu', 'mbu', costName]);

/** True for metrics of each GPU: a throughput, a cost or an efficiency. */
export const isPerGpu = (metric: string): boolean => perGpu.has(metric);

/** True for a workload whose requests are all sent at once. */
export const isBurst = (workload: string | null): boolean =>
  workload !== null && parseWorkload(workload).regime === 'burst';

/** The workloads in order. For the speed or the waiting time of one user, bursts are last: in a burst each waits for the others. */
export const burstsLast = (workloads: readonly (string | null)[], rankBy: string) =>
  isOfOneUser(rankBy) ? workloads.toSorted((a, b) => Number(isBurst(a)) - Number(isBurst(b))) : workloads;
