import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, it, test } from 'vitest';

// Published tool outputs and tables, unchanged in the pack.
const pack = new URL('../../../../packages/db/sample/public/', import.meta.url);

interface Line {
  system: { model: string; gpu: string; gpu_count: number };
  results: [
    {
      load: { mode: string; level: number };
      metrics: Record<string, number>;
      source: Record<'publisher' | 'title' | 'url' | 'entry' | 'retrieved_at', string>;
    },
  ];
}

const linesOf = (name: string) =>
  gunzipSync(readFileSync(new URL(`${name}.jsonl.gz`, pack)))
    .toString('utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

const names = [
  'accelmark',
  'cloudrift',
  'gpu-llama-bench',
  'gpustack',
  'inferencex-gpt-oss',
  'sglang-cookbook',
  'vllm-mlx',
  'vllm-recipes',
];

test.each(names)('each figure of %s has a publisher, a URL at one commit, and an entry', (name) => {
  for (const { results } of linesOf(name)) {
    const [{ source }] = results;
    expect(source.publisher && source.title && source.entry).toBeTruthy();
    expect(source.url).toMatch(/^https:\/\/github\.com\/[\w-]+\/[\w-]+\/blob\/[0-9a-f]{8}\/\S+$/);
    expect(source.retrieved_at).toMatch(/^2026-11-\d\d$/);
  }
});

/** Values read from the published text by hand. */
const read: [name: string, address: string, load: string, system: string, metrics: Record<string, number>][] = [
  [
    'accelmark',
    'nvidia_a100_sxm4_80gbx1_suite_A_nvidia_vllm020_0f6c56e4_8f83bfab/result.json',
    'concurrency 128',
    '1 NVIDIA A100-SXM4-80GB meta-llama/Meta-Llama-3-8B-Instruct',
    { output_tok_s: 3908.22, total_tok_s: 6779.65 },
  ],
  [
    'accelmark',
    'nvidia_a100_sxm4_40gbx1_suite_C_nvidia_vllm_47f5d58e_57cc3fdf/bf16/result.json',
    'rate 50',
    '1 NVIDIA A100-SXM4-40GB meta-llama/Llama-3.1-8B-Instruct',
    { ttft_ms_p50: 283.75, ttft_ms_p99: 7023.58, tpot_ms_p50: 65.18, tpot_ms_p90: 101.56, tpot_ms_p99: 1073.72 },
  ],
  [
    'cloudrift',
    'single-query/h100_x_8_zai-org_GLM-4.6-FP8_vllm_benchmark.txt',
    'concurrency 1',
    '8 NVIDIA H100 80GB HBM3 zai-org/GLM-4.6-FP8',
    { output_tok_s: 63.03, ttft_ms_mean: 177.71, tpot_ms_mean: 15.7, itl_ms_p99: 16.39, e2e_ms_mean: 15865.73 },
  ],
  [
    'cloudrift',
    '2026-05-05_11-57-50_8c16ceda/pro6000x1_vllm_benchmark.txt',
    'concurrency 16',
    '1 NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition Qwen/Qwen3.6-35B-A3B-FP8',
    { output_tok_s: 1111.05, ttft_ms_p99: 7975.62, tpot_ms_mean: 13.18, itl_ms_mean: 13.18 },
  ],
  [
    'gpustack',
    'gpt-oss-20b/a100.md',
    'burst 500',
    '1 A100 SXM4 80GB openai/gpt-oss-20b',
    { duration_s: 128.79, output_tok_s: 415.64, ttft_ms_mean: 62947.13, tpot_ms_p99: 131.42, itl_ms_mean: 130.61 },
  ],
  [
    'gpustack',
    'qwen3-8b/h100-latency.md',
    'concurrency 1',
    '1 H100 SXM Qwen/Qwen3-8B-FP8',
    { duration_s: 65.82, output_tok_s: 335.15, total_tok_s: 688.51, ttft_ms_mean: 34.7, ttft_ms_p50: 34.11 },
  ],
  [
    'inferencex-gpt-oss',
    'raw/run_20667906037/agg_bmk.json',
    'concurrency 64',
    '2 h100 openai/gpt-oss-120b',
    { ttft_ms_p99: 1499.0264102816582, tpot_ms_mean: 15.062275560773797, itl_ms_mean: 15.071082207111973 },
  ],
  [
    'inferencex-gpt-oss',
    'raw/run_20667906037/agg_bmk.json',
    'concurrency 4',
    '1 h200 openai/gpt-oss-120b',
    { ttft_ms_mean: 381.2546662054956, itl_ms_mean: 7.225660707380566, output_tok_s: 514.0862936633806 },
  ],
  [
    'sglang-cookbook',
    'MiniMax/MiniMax-M2.5.md',
    'concurrency 100',
    '8 B200 MiniMaxAI/MiniMax-M2.5',
    { duration_s: 92.31, output_tok_s: 2737.02, e2e_ms_mean: 16835.82, ttft_ms_mean: 391.06 },
  ],
  [
    'sglang-cookbook',
    'DeepSeek/DeepSeek-R1.md',
    'concurrency 16',
    '8 B200 deepseek-ai/DeepSeek-R1-0528',
    { output_tok_s: 795.3, ttft_ms_p99: 839.57, tpot_ms_mean: 17.56, itl_ms_mean: 17.02, itl_ms_max: 461.9 },
  ],
  ['gpu-llama-bench', 'H100_PCIe_4_v3.ipynb', 'batch 1', '4 NVIDIA H100 PCIe llama-3-70b', { prefill_tok_s: 2420.1 }],
  [
    'vllm-mlx',
    'docs/benchmarks/llm.md',
    'concurrency 1',
    '1 Apple M4 Max mlx-community/Qwen3-30B-A3B-4bit',
    { decode_tok_s: 123.9, ttft_ms_mean: 126.9 },
  ],
  [
    'vllm-recipes',
    'mistralai/Ministral-3-14B-Instruct-2512.yaml',
    'concurrency 32',
    '1 MI300X mistralai/Ministral-3-14B-Instruct-2512',
    { output_tok_s: 1940.79, ttft_ms_p99: 2925.25, tpot_ms_p99: 12.83, itl_ms_mean: 12.22 },
  ],
];

it.each(read)('%s: %s, %s', (name, address, load, system, metrics) => {
  const found = linesOf(name).filter(
    ({ system: { gpu_count, gpu, model }, results: [result] }) =>
      result.source.url.endsWith(address) &&
      `${result.load.mode} ${result.load.level}` === load &&
      `${gpu_count} ${gpu} ${model}` === system,
  );
  expect(found.map(({ results }) => results[0].metrics)).toContainEqual(expect.objectContaining(metrics));
});
