import type { MetricName } from '../../metrics/index.ts';
import type { Meaning } from '../reading/block-figures.ts';
import { latencyName } from '../reading/latency-name.ts';

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
  'rtfx (inverse real-time factor)': 'rtfx',
  'acceptance rate (%)': 'acceptance_rate_percent',
  'acceptance length': 'acceptance_length',
  drafts: 'drafts',
  'draft tokens': 'draft_tokens',
  'accepted tokens': 'accepted_tokens',
};

const facts: Record<string, string> = {
  'maximum request concurrency': 'max_concurrency',
  'request rate configured (rps)': 'request_rate',
};

const families: Record<string, string> = { ttft: 'ttft_ms', tpot: 'tpot_ms', itl: 'itl_ms', e2el: 'e2e_ms' };
const latency = /^(mean|median|std|min|max|p\d{1,2}(?:\.\d{1,3})?) (ttft|tpot|itl|e2el) \(ms\)$/;
/** Figures of diffusion models and of probes beside the load (2026). */
const special = /^(?:probe|committed|denoising) [a-z0-9 /%().-]{1,60}$/;

/**
 * Looks a label up. The block changed its words over the years ("Total Token throughput"), so labels are compared
 * without case. Percentiles outside the registry, such as P99.9, become extras.
 */
export function findLabel(key: string): Meaning {
  const metric = Object.hasOwn(counts, key) ? counts[key] : undefined;
  if (metric !== undefined) return { kind: 'metric', name: metric };
  const extra = Object.hasOwn(extras, key) ? extras[key] : undefined;
  if (extra !== undefined) return { kind: 'extra', name: extra };
  const fact = Object.hasOwn(facts, key) ? facts[key] : undefined;
  if (fact !== undefined) return { kind: 'fact', name: fact };
  if (special.test(key)) return { kind: 'extra', name: key.replace(/[^a-z0-9]+/g, '_').replace(/^_|_$/g, '') };
  const found = latency.exec(key);
  const family = families[found?.[2] ?? ''];
  return found === null || family === undefined ? { kind: 'unknown' } : latencyName(family, found[1] ?? '');
}
