import type { MetricName } from '../../metrics/index.ts';
import type { Meaning } from '../reading/figures/block-figures.ts';
import { latencyName } from '../reading/figures/latency-name.ts';

/** Labels of the console block that are values of our registry, in lower case with single spaces. */
const labels: Record<string, MetricName> = {
  'successful requests': 'requests_ok',
  'benchmark duration (s)': 'duration_s',
  'total input tokens': 'input_tokens',
  'total generated tokens': 'output_tokens',
  'request throughput (req/s)': 'req_s',
  'input token throughput (tok/s)': 'input_tok_s',
  'output token throughput (tok/s)': 'output_tok_s',
  'total token throughput (tok/s)': 'total_tok_s',
  'total throughput (tok/s)': 'total_tok_s',
};

/** Labels to store as extras: peaks of single seconds, gauges and counters, never a rate of the run. */
const labelExtras: Record<string, string> = {
  'total input text tokens': 'input_text_tokens',
  'total input vision tokens': 'input_vision_tokens',
  'total generated tokens (retokenized)': 'output_tokens_retokenized',
  'peak output token throughput (tok/s)': 'peak_output_tok_s',
  'peak concurrent requests': 'peak_concurrent_requests',
  concurrency: 'measured_concurrency',
  'accept length': 'acc_length',
  'cache hit rate (%)': 'cache_hit_rate_percent',
};

const labelFacts: Record<string, string> = {
  'benchmark mode': 'benchmark_mode',
  backend: 'backend',
  'traffic request rate': 'request_rate',
  'max request concurrency': 'max_concurrency',
  // Misspelt until May 2025.
  'max reqeuest concurrency': 'max_concurrency',
};

/** Keys of the JSON lines. The short ones are from July 2024. */
const keys: Record<string, MetricName> = {
  completed: 'requests_ok',
  duration: 'duration_s',
  benchmark_duration: 'duration_s',
  total_input_tokens: 'input_tokens',
  total_input: 'input_tokens',
  total_output_tokens: 'output_tokens',
  total_output: 'output_tokens',
  request_throughput: 'req_s',
  input_throughput: 'input_tok_s',
  output_throughput: 'output_tok_s',
  output_token_throughput: 'output_tok_s',
  total_throughput: 'total_tok_s',
};

const keyExtras: Record<string, string> = {
  total_input_text_tokens: 'input_text_tokens',
  total_input_vision_tokens: 'input_vision_tokens',
  total_output_tokens_retokenized: 'output_tokens_retokenized',
  total_output_retokenized: 'output_tokens_retokenized',
  max_output_tokens_per_s: 'peak_output_tok_s',
  max_concurrent_requests: 'peak_concurrent_requests',
  concurrency: 'measured_concurrency',
  accept_length: 'acc_length',
};

const families: Record<string, string> = {
  ttft: 'ttft_ms',
  tpot: 'tpot_ms',
  itl: 'itl_ms',
  'e2e latency': 'e2e_ms',
  e2e_latency: 'e2e_ms',
};
const latencyLabel = /^(mean|median|std|min|max|p\d{1,2}(?:\.\d{1,3})?) (ttft|tpot|itl|e2e latency) \(ms\)$/;
/** Milliseconds with and without the unit in the name. */
const latencyKey = /^(mean|median|std|min|max|p\d{1,2}(?:\.\d{1,3})?)_(ttft|tpot|itl|e2e_latency)(?:_ms)?$/;

function look(table: Record<string, string>, key: string): string | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

function latency(pattern: RegExp, key: string): Meaning {
  const found = pattern.exec(key);
  const family = families[found?.[2] ?? ''];
  return found === null || family === undefined ? { kind: 'unknown' } : latencyName(family, found[1] ?? '');
}

/** The meaning of a label in SGLang's block "Serving Benchmark Result". */
export function sglangLabel(key: string): Meaning {
  const metric = Object.hasOwn(labels, key) ? labels[key] : undefined;
  if (metric !== undefined) return { kind: 'metric', name: metric };
  const extra = look(labelExtras, key);
  if (extra !== undefined) return { kind: 'extra', name: extra };
  const fact = look(labelFacts, key);
  return fact === undefined ? latency(latencyLabel, key) : { kind: 'fact', name: fact };
}

/** The meaning of a key of a JSON line, if it is a figure. */
export function sglangKey(key: string): Meaning {
  const metric = Object.hasOwn(keys, key) ? keys[key] : undefined;
  if (metric !== undefined) return { kind: 'metric', name: metric };
  const extra = look(keyExtras, key);
  return extra === undefined ? latency(latencyKey, key) : { kind: 'extra', name: extra };
}

/** The line of a block whose figures are from a simulator of the engine. */
export const isSimulation = ({ key, value }: { key: string; value: string }): boolean =>
  key === 'benchmark mode' && value.trim() === 'simulation';
