import { memoize } from '../../catalogue/memo.ts';
import { findMetric, type MetricName } from '../../metrics/index.ts';
import type { JsonObject, Likeness } from '../reading/documents/json-records.ts';
import type { Meaning } from '../reading/figures/block-figures.ts';
import { latencyName } from '../reading/figures/latency-name.ts';

/** Keys of a result object that are values of our registry. */
const keys: Record<string, MetricName> = {
  completed: 'requests_ok',
  failed: 'requests_failed',
  duration: 'duration_s',
  total_input_tokens: 'input_tokens',
  total_output_tokens: 'output_tokens',
  request_throughput: 'req_s',
  // Misspelled for some time in 2024.
  request_inthroughput: 'req_s',
  request_goodput: 'goodput_req_s',
  // The key contained the colon of the printed label until July 2025.
  'request_goodput:': 'goodput_req_s',
  input_throughput: 'input_tok_s',
  output_throughput: 'output_tok_s',
  total_token_throughput: 'total_tok_s',
};

/** Keys to store as extras, under the names of the printed block: peaks of single seconds and counters. */
const extras: Record<string, string> = {
  max_output_tokens_per_s: 'peak_output_tok_s',
  max_concurrent_requests: 'peak_concurrent_requests',
  spec_decode_acceptance_rate: 'acceptance_rate_percent',
  spec_decode_acceptance_length: 'acceptance_length',
  spec_decode_num_drafts: 'drafts',
  spec_decode_draft_tokens: 'draft_tokens',
  spec_decode_accepted_tokens: 'accepted_tokens',
  max_model_len: 'max_model_len',
};

const families: Record<string, string> = { ttft: 'ttft_ms', tpot: 'tpot_ms', itl: 'itl_ms', e2el: 'e2e_ms' };
const latency = /^(mean|median|std|min|max|p\d{1,3}(?:\.\d{1,4})?)_(ttft|tpot|itl|e2el)_ms$/;
const latencies: ReadonlySet<string> = new Set(Object.values(families));
const extremes: Record<string, string> = { p0: 'min', p100: 'max' };

function readKey(key: string): Meaning {
  const metric = Object.hasOwn(keys, key) ? keys[key] : undefined;
  if (metric !== undefined) return { kind: 'metric', name: metric };
  const extra = Object.hasOwn(extras, key) ? extras[key] : undefined;
  if (extra !== undefined) return { kind: 'extra', name: extra };
  if (/^(?:probe|diffusion)_\w{1,60}$/.test(key)) return { kind: 'extra', name: key };
  const found = latency.exec(key);
  const family = families[found?.[2] ?? ''];
  if (found === null || family === undefined) return { kind: 'unknown' };
  const statistic = (found[1] ?? '').replace(/^p0+(?=\d)/, 'p').replace(/\.0+$/, '');
  return Number(statistic.slice(1)) > 100 ? { kind: 'unknown' } : latencyName(family, extremes[statistic] ?? statistic);
}

/** The meaning of a key of a result object, if it is a figure. Records of one file share their keys. */
export const vllmKey = memoize(readKey, (key) => key);

/** The base of a latency's name; null for any other value. */
export function toFamily(name: string): string | null {
  const base = findMetric(name)?.family.base;
  return base !== undefined && latencies.has(base) ? base : null;
}

const has = (value: JsonObject, key: string) => Object.hasOwn(value, key);

/** The copy of vLLM's client that wrote an object, from its keys. The copies share nearly all keys. */
function isForeign(value: JsonObject): boolean {
  const isTensorrt = has(value, 'user_throughput') || has(value, 'avg_decoded_tokens_per_iter');
  const isSglang = has(value, 'server_info') || has(value, 'total_output_tokens_retokenized');
  const isInferencex =
    has(value, 'best_of') &&
    has(value, 'request_goodput:') &&
    Object.keys(value).some((key) => key.startsWith('p90_')) &&
    Object.keys(value).some((key) => key.startsWith('p99.9_'));
  return isTensorrt || isSglang || isInferencex;
}

/** Whether an object is a result of vLLM's serving benchmark and not of one of its many copies. */
export function vllmLikeness(value: JsonObject): Likeness {
  if (!has(value, 'num_prompts') || isForeign(value)) return null;
  if (!has(value, 'model_id') && !has(value, 'tokenizer_id') && !has(value, 'endpoint_type')) return null;
  // Partial files exist that contain only the latencies.
  return (has(value, 'completed') && has(value, 'duration')) || has(value, 'mean_ttft_ms') || has(value, 'mean_e2el_ms')
    ? 'whole'
    : null;
}

/** Labels of the block that are values of our registry, in lower case with single spaces. */
const countLabels: Record<string, MetricName> = {
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

/** Labels to store as extras: peaks of single seconds and counters, never a rate of the run. */
const extraLabels: Record<string, string> = {
  'peak output token throughput (tok/s)': 'peak_output_tok_s',
  'peak concurrent requests': 'peak_concurrent_requests',
  'rtfx (inverse real-time factor)': 'rtfx',
  'acceptance rate (%)': 'acceptance_rate_percent',
  'acceptance length': 'acceptance_length',
  drafts: 'drafts',
  'draft tokens': 'draft_tokens',
  'accepted tokens': 'accepted_tokens',
};

const factLabels: Record<string, string> = {
  'maximum request concurrency': 'max_concurrency',
  // Modular MAX
  'max concurrency': 'max_concurrency',
  'input request rate (req/s)': 'request_rate',
  'request rate configured (rps)': 'request_rate',
};

const latencyLabel = /^(mean|median|std|min|max|p\d{1,2}(?:\.\d{1,3})?) (ttft|tpot|itl|e2el) \(ms\)$/;
/** Figures of diffusion models and of probes during the load (2026). */
const special = /^(?:probe|committed|denoising) [a-z0-9 /%().-]{1,60}$/;

/**
 * Looks a label up. The block changed its words over the years ("Total Token throughput"), so labels are compared without
 * case. Percentiles outside the registry, such as P99.9, become extras.
 */
export function findLabel(key: string): Meaning {
  const metric = Object.hasOwn(countLabels, key) ? countLabels[key] : undefined;
  if (metric !== undefined) return { kind: 'metric', name: metric };
  const extra = Object.hasOwn(extraLabels, key) ? extraLabels[key] : undefined;
  if (extra !== undefined) return { kind: 'extra', name: extra };
  const fact = Object.hasOwn(factLabels, key) ? factLabels[key] : undefined;
  if (fact !== undefined) return { kind: 'fact', name: fact };
  if (special.test(key)) return { kind: 'extra', name: key.replace(/[^a-z0-9]+/g, '_').replace(/^_|_$/g, '') };
  const found = latencyLabel.exec(key);
  const family = families[found?.[2] ?? ''];
  return found === null || family === undefined ? { kind: 'unknown' } : latencyName(family, found[1] ?? '');
}
