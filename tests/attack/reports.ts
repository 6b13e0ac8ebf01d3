import type { Random } from '../../packages/core/src/testing/random.ts';
import type { World } from './world.ts';

/** A system that no other account has measured: its engine version is unique. */
export const ownSystem = ({ run }: World, name: string) => ({
  ...{ model: 'llama-3.1-8b', quantization: 'fp8', gpu: 'h100-sxm', gpu_count: 1 },
  engine: { name: 'vllm', version: `0.11.0+${run}.${name}` },
});

type System = Record<string, unknown>;

const inputTokens = 3000;
const outputTokens = 700;

/** A workload that is not in the sample data: honest results on it are not on the first page. */
const aside = { input_tokens: inputTokens, output_tokens: outputTokens };

type Row = Record<string, unknown>;

/** A native document with rows of one point. */
export const report = (
  system: System,
  rows: readonly Row[],
  { level = 64, scenario = aside }: { level?: number; scenario?: object | string } = {},
) =>
  JSON.stringify({
    ...{ schema: 'inferboard/v1', system, scenario },
    results: rows.map((row) => ({ load: { mode: 'concurrency', level }, ...row })),
  });

/** Values around a mean, 0.5 % apart, as in repetitions. */
export const around = (random: Random, value: number, count: number): number[] =>
  Array.from({ length: count }, () => Number((value * (1 + 0.005 * normal(random))).toPrecision(6)));

/** Normally distributed with mean 0 and standard deviation 1. */
export const normal = (random: Random): number =>
  Math.sqrt(2 * random.exponential()) * Math.cos(2 * Math.PI * random.next());

export interface Request {
  sent_s: number;
  input_tokens: number;
  output_tokens: number;
  ttft_ms: number;
  e2e_ms: number;
}

/** The request records of a run with one user. */
export function requestsOf(random: Random, count: number): Request[] {
  let sent_s = 0;
  return Array.from({ length: count }, () => {
    const ttft_ms = random.between(60, 110);
    const e2e_ms = ttft_ms + (outputTokens - 1) * random.between(7, 8);
    const request = { sent_s, input_tokens: inputTokens, output_tokens: outputTokens, ttft_ms, e2e_ms };
    sent_s += (e2e_ms + random.between(1, 3)) / 1000;
    return request;
  });
}

/** One run of `vllm bench serve` with consistent figures. */
export interface ServedRun {
  requests: number;
  concurrency: number;
  duration_s: number;
  ttft_ms: number;
  tpot_ms: number;
  /** Medians and 99th percentiles as fractions of the means. Runs with the same fractions look like copies of each other. */
  shares: Record<'ttft' | 'tpot' | 'itl', { median: number; p99: number }>;
}

/** A run at a concurrency; `slow` increases the time per token. */
export function servedRun(random: Random, concurrency: number, slow = 1): ServedRun {
  const ttft_ms = random.between(60, 90) * slow;
  const tpot_ms = random.between(12, 14) * slow;
  const requests = concurrency * 20;
  // All users are busy except in the last round.
  const duration_s = (1.02 * (requests / concurrency) * (ttft_ms + (outputTokens - 1) * tpot_ms)) / 1000;
  const share = (median: number, p99: number) => ({
    median: median * random.between(0.98, 1.02),
    p99: p99 * random.between(0.9, 1.1),
  });
  const shares = { ttft: share(0.97, 1.9), tpot: share(0.98, 1.2), itl: share(0.97, 2.3) };
  return { requests, concurrency, duration_s, ttft_ms, tpot_ms, shares };
}

const figuresOf = ({ requests, duration_s, ttft_ms, tpot_ms, shares }: ServedRun) => ({
  request_throughput: requests / duration_s,
  output_throughput: (requests * outputTokens) / duration_s,
  total_token_throughput: (requests * (inputTokens + outputTokens)) / duration_s,
  ...{ mean_ttft_ms: ttft_ms, median_ttft_ms: ttft_ms * shares.ttft.median, p99_ttft_ms: ttft_ms * shares.ttft.p99 },
  ...{ mean_tpot_ms: tpot_ms, median_tpot_ms: tpot_ms * shares.tpot.median, p99_tpot_ms: tpot_ms * shares.tpot.p99 },
  ...{ mean_itl_ms: tpot_ms, median_itl_ms: tpot_ms * shares.itl.median, p99_itl_ms: tpot_ms * shares.itl.p99 },
});

/** Its console output; includes the load only with the option. */
export function consoleOf(run: ServedRun, says = true): string {
  const figures = figuresOf(run);
  const line = (label: string, value: number | string) =>
    `${`${label}:`.padEnd(41)}${typeof value === 'string' ? value : value.toFixed(2)}`;
  const part = (title: string, name: string, label: string) => [
    title,
    ...(['mean', 'median', 'p99'] as const).map((of) =>
      line(
        `${of === 'p99' ? 'P99' : of === 'mean' ? 'Mean' : 'Median'} ${label} (ms)`,
        figures[`${of}_${name}_ms` as keyof typeof figures],
      ),
    ),
  ];
  return [
    '============ Serving Benchmark Result ============',
    line('Successful requests', `${run.requests}`),
    ...(says ? [line('Maximum request concurrency', `${run.concurrency}`)] : []),
    line('Benchmark duration (s)', run.duration_s),
    line('Total input tokens', `${run.requests * inputTokens}`),
    line('Total generated tokens', `${run.requests * outputTokens}`),
    line('Request throughput (req/s)', figures.request_throughput),
    line('Output token throughput (tok/s)', figures.output_throughput),
    line('Total Token throughput (tok/s)', figures.total_token_throughput),
    ...part('---------------Time to First Token----------------', 'ttft', 'TTFT'),
    ...part('-----Time per Output Token (excl. 1st token)------', 'tpot', 'TPOT'),
    ...part('---------------Inter-token Latency----------------', 'itl', 'ITL'),
    '==================================================',
    '',
  ].join('\n');
}

/** Its result file, with all digits. */
export const resultFileOf = (run: ServedRun): string =>
  JSON.stringify({
    ...{ date: '20251120-101500', endpoint_type: 'openai', backend: 'openai', label: null },
    ...{ model_id: 'meta-llama/Llama-3.1-8B-Instruct', tokenizer_id: 'meta-llama/Llama-3.1-8B-Instruct' },
    ...{ num_prompts: run.requests, request_rate: 'inf', burstiness: 1, max_concurrency: run.concurrency },
    ...{ duration: run.duration_s, completed: run.requests, failed: 0 },
    ...{ total_input_tokens: run.requests * inputTokens, total_output_tokens: run.requests * outputTokens },
    ...figuresOf(run),
  });

/** Facts that the console output omits. */
export const servedFacts = ({ run }: World, name: string) => ({
  ...{ model: 'llama-3.1-8b', quantization: 'fp8', gpu: 'h100-sxm', gpu_count: '1' },
  ...{ engine: 'vllm', engine_version: `0.11.0+${run}.${name}` },
});
