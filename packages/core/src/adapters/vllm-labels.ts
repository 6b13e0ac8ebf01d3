import { findMetric, type MetricName } from '../metrics/index.ts';

/** Labels of the block that are values of our registry. Labels are lower case with single blanks. */
const counts: Record<string, MetricName> = {
  'successful requests': 'requests_ok',
  'failed requests': 'requests_failed',
  'benchmark duration (s)': 'duration_s',
  'total input tokens': 'input_tokens',
  'total generated tokens': 'output_tokens',
  'request throughput (req/s)': 'req_s',
  'request goodput (req/s)': 'goodput_req_s',
  'input token throughput (tok/s)': 'input_tok_s',
  'output token throughput (tok/s)': 'output_tok_s',
  'total token throughput (tok/s)': 'total_tok_s',
};

/** Labels kept beside the metrics: peaks of single seconds and counters, never a rate of the run. */
const extras: Record<string, string> = {
  'peak output token throughput (tok/s)': 'peak_output_tok_s',
  'peak concurrent requests': 'peak_concurrent_requests',
  'acceptance rate (%)': 'acceptance_rate_percent',
  'acceptance length': 'acceptance_length',
  drafts: 'drafts',
  'draft tokens': 'draft_tokens',
  'accepted tokens': 'accepted_tokens',
};

const families: Record<string, string> = { ttft: 'ttft_ms', tpot: 'tpot_ms', itl: 'itl_ms', e2el: 'e2e_ms' };
const words: Record<string, string> = { mean: 'mean', median: 'p50', std: 'sd', min: 'min', max: 'max' };
const latency = /^(mean|median|std|min|max|p\d{1,2}(?:\.\d{1,3})?) (ttft|tpot|itl|e2el) \(ms\)$/;

/** What a label of the block means. */
export type Label =
  | { kind: 'metric'; name: MetricName; family: string | null }
  | { kind: 'extra'; name: string }
  | { kind: 'load'; name: 'requestRate' | 'maxConcurrency' }
  | { kind: 'unknown' };

/**
 * Looks a label up. The block changed its words over the years ("Total Token throughput"), so labels are compared
 * without case. Percentiles outside the registry, such as P99.9, become extras under their own name.
 */
export function findLabel(key: string): Label {
  if (Object.hasOwn(counts, key) && counts[key] !== undefined)
    return { kind: 'metric', name: counts[key], family: null };
  if (Object.hasOwn(extras, key) && extras[key] !== undefined) return { kind: 'extra', name: extras[key] };
  if (key === 'maximum request concurrency') return { kind: 'load', name: 'maxConcurrency' };
  if (key === 'request rate configured (rps)') return { kind: 'load', name: 'requestRate' };
  const found = latency.exec(key);
  if (found === null) return { kind: 'unknown' };
  const family = families[found[2] ?? ''] ?? '';
  const statistic = words[found[1] ?? ''] ?? found[1] ?? '';
  const metric = findMetric(`${family}_${statistic}`);
  return metric === null
    ? { kind: 'extra', name: `${family}_${statistic}` }
    : { kind: 'metric', name: metric.name, family };
}
