import type { Random } from '../../packages/core/src/testing/random.ts';

/** One kind of request: its name, and a random path. */
export interface Question {
  name: string;
  path(random: Random): string;
}

type Bound = readonly [parameter: string, low: number, high: number];

/** Metrics with common bounds, and the ranges of the bounds. */
const bounds: readonly [Bound, ...Bound[]] = [
  ['max_itl_ms', 5, 60],
  ['max_itl_ms_p99', 10, 150],
  ['max_tpot_ms', 5, 60],
  ['max_ttft_ms', 50, 3000],
  ['max_ttft_ms_p99', 100, 10_000],
  ['min_output_tok_s', 20, 5000],
  ['min_user_tok_s', 10, 150],
  ['min_output_tok_s_per_gpu', 20, 2000],
];
const ranked = ['output_tok_s_per_gpu', 'output_tok_s', 'user_tok_s', 'ttft_ms_p50', 'itl_ms_mean', 'req_s'] as const;
const gpus = ['h100', 'a100', 'h200-sxm', 'rtx-4090', 'b200-sxm', 'l40s', 'mi300x', 'rtx-3090'] as const;
const models = ['llama-3.1-8b', 'llama-3.3-70b', 'qwen3-30b-a3b', 'gpt-oss-120b', 'qwen3-32b', 'deepseek-r1'] as const;

function drawBound(random: Random): [string, string] {
  const [name, low, high] = random.pick(bounds);
  return [name, (low * (high / low) ** random.next()).toPrecision(3)];
}

function leaderboard(random: Random, more: Record<string, string>): string {
  const [first, firstValue] = drawBound(random);
  let [second, secondValue] = drawBound(random);
  while (second === first) [second, secondValue] = drawBound(random);
  const asked = { rank_by: random.pick(ranked), [first]: firstValue, [second]: secondValue, ...more };
  return `/v1/leaderboard?${new URLSearchParams(asked)}`;
}

const sentences: readonly [(random: Random) => string, ...((random: Random) => string)[]] = [
  (random) => `best model under ${random.whole(8, 60)}ms ITL on H100`,
  (random) => `best model under ${random.whole(8, 60)}ms ITL on ${random.pick(['a100', 'h200', 'rtx 4090', 'mi300x'])}`,
  (random) =>
    `lowest p99 ttft for ${random.pick(['llama 3.3 70b', 'qwen3 32b'])} on 2x h200 at ${random.pick([8, 16, 64])} concurrent users`,
  (random) =>
    `fastest quantization of ${random.pick(['qwen3 30b a3b', 'llama 3.1 8b'])} on ${random.pick(['h100', 'rtx 4090'])}`,
];

const filtered: readonly [(random: Random) => string, ...((random: Random) => string)[]] = [
  (random) => `gpu=${random.pick(gpus)}&model=${random.pick(models)}`,
  (random) => `gpu=${random.pick(gpus)}&max_ttft_ms=${random.whole(50, 2000)}`,
  (random) => `engine=${random.pick(['vllm', 'sglang', 'llama.cpp'])}&scenario=${random.pick(['chatbot', 'rag'])}`,
  (random) => `account=lab-0${random.whole(10, 99)}`,
  (random) => `tool=${random.pick(['guidellm', 'llmperf'])}&model=${random.pick(models)}`,
];

/** The kinds of requests; `systems` and `later` are from the data. */
export function makeQuestions(systems: readonly string[], later: readonly string[]): Question[] {
  const some = (list: readonly string[], random: Random) => list[random.whole(0, list.length - 1)] ?? '';
  return [
    { name: 'leaderboard, 2 bounds', path: (random) => leaderboard(random, {}) },
    { name: 'leaderboard, 2 bounds, GPU', path: (random) => leaderboard(random, { gpu: random.pick(gpus) }) },
    { name: 'leaderboard, 2 bounds, model', path: (random) => leaderboard(random, { model: random.pick(models) }) },
    {
      name: 'best in words',
      path: (random) => `/v1/best?${new URLSearchParams({ q: random.pick(sentences)(random) })}`,
    },
    { name: 'results', path: (random) => `/v1/results?limit=${random.whole(20, 60)}` },
    { name: 'results, filters', path: (random) => `/v1/results?${random.pick(filtered)(random)}` },
    { name: 'results, later page', path: (random) => some(later, random) },
    { name: 'system', path: (random) => `/v1/systems/${some(systems, random)}` },
    {
      name: 'pareto, GPU',
      path: (random) => `/v1/pareto?x=user_tok_s&y=output_tok_s_per_gpu&gpu=${random.pick(gpus)}`,
    },
    {
      name: 'pareto, model',
      path: (random) => `/v1/pareto?x=user_tok_s&y=output_tok_s_per_gpu&model=${random.pick(models)}`,
    },
  ];
}
