import { type PrometheusSample, readPrometheus } from './prometheus.ts';

/** What is read of a server, and by which names its engine has it: vLLM, SGLang, llama.cpp. The first that is there counts. */
const sources = {
  running: ['vllm:num_requests_running', 'sglang:num_running_reqs', 'llamacpp:requests_processing'],
  waiting: ['vllm:num_requests_waiting', 'sglang:num_queue_reqs', 'llamacpp:requests_deferred'],
  /** 0..1. Older versions of vLLM have the second name. */
  kv_cache_share: [
    ...['vllm:kv_cache_usage_perc', 'vllm:gpu_cache_usage_perc'],
    ...['sglang:token_usage', 'llamacpp:kv_cache_usage_ratio'],
  ],
  preemptions: ['vllm:num_preemptions_total', 'vllm:num_preemptions', 'sglang:num_retracted_requests_total'],
} as const;

type EngineMetric = keyof typeof sources;

const names: ReadonlySet<string> = new Set(Object.values(sources).flat());

/** Ranks of one engine state the same; engines side by side do not. */
const rankLabels = ['tp_rank', 'pp_rank', 'moe_ep_rank'];

function engineOf({ labels }: PrometheusSample): string {
  return JSON.stringify(Object.entries(labels).filter(([name]) => !rankLabels.includes(name)));
}

function stateOf(samples: readonly PrometheusSample[], metric: EngineMetric): number | null {
  const name = sources[metric].find((known) => samples.some((sample) => sample.name === known));
  if (name === undefined) return null;
  const engines = Map.groupBy(
    samples.filter((sample) => sample.name === name && Number.isFinite(sample.value)),
    engineOf,
  );
  if (engines.size === 0) return null;
  const values = [...engines.values()].map((ranks) => Math.max(...ranks.map(({ value }) => value)));
  const sum = values.reduce((total, value) => total + value, 0);
  return metric === 'kv_cache_share' ? sum / values.length : sum;
}

/** The state of a server from its metrics: over several engines the sum, of shares the mean. Empty where it has none of them. */
export function readEngineMetrics(text: string): Partial<Record<EngineMetric, number>> {
  const samples = readPrometheus(text, (name) => names.has(name));
  const metrics = Object.keys(sources) as EngineMetric[];
  return Object.fromEntries(
    metrics.flatMap((metric) => {
      const value = stateOf(samples, metric);
      return value === null ? [] : [[metric, value]];
    }),
  );
}
