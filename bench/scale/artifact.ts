import type { Random } from '../../packages/core/src/testing/random.ts';
import { makeSystem } from '../../packages/core/src/testing/result.ts';
import { runAt } from './run.ts';
import { speedOf } from './speed.ts';
import { workloads } from './workloads.ts';

const served = [
  'meta-llama/Llama-3.1-8B-Instruct',
  'Qwen/Qwen3-8B',
  'mistralai/Mistral-7B-v0.3',
  'Qwen/Qwen2.5-14B',
] as const;

/** Submitter's facts that the artifacts omit. */
export const facts = {
  gpu: 'h100-sxm',
  quantization: 'bf16',
  gpu_count: '1',
  engine: 'vllm',
  engine_version: '0.11.0',
};

/** One run in the format of `vllm bench serve --save-result`: one of `served`, 1 to `users` users. */
export function vllmRecord(place: number, users: number, random: Random): string {
  const model = served[place % served.length] ?? served[0];
  const level = 1 + (Math.floor(place / served.length) % users);
  const workload = workloads[0];
  if (workload === undefined) throw new Error('there is no workload');
  const speed = speedOf(makeSystem({ model, gpu: facts.gpu, quantization: facts.quantization }), 0.6);
  const { ttft, tpot, itl, ...run } = runAt(speed, workload, level, 0.02, random);
  const latencies = { ttft, tpot, itl };
  return JSON.stringify({
    date: '20251120-101500',
    backend: 'openai-chat',
    label: null,
    model_id: model,
    tokenizer_id: model,
    num_prompts: run.requests,
    request_rate: 'inf',
    burstiness: 1,
    max_concurrency: level,
    duration: run.durationS,
    completed: run.requests,
    failed: 0,
    total_input_tokens: run.inputTokens,
    total_output_tokens: run.outputTokens,
    request_throughput: run.reqS,
    output_throughput: run.outputTokens / run.durationS,
    total_token_throughput: (run.inputTokens + run.outputTokens) / run.durationS,
    ...Object.fromEntries(
      Object.entries(latencies).flatMap(([name, { mean, sd }]) => [
        [`mean_${name}_ms`, mean],
        [`median_${name}_ms`, mean - 0.15 * sd],
        [`std_${name}_ms`, sd],
        [`p99_${name}_ms`, mean + 2.6 * sd],
      ]),
    ),
  });
}
