import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readArtifact } from './index.ts';

interface Entry {
  file: string;
  tool: string;
  verdict: string;
  n_results: number;
  results: { expect: Record<string, number>; facts?: Record<string, unknown> }[];
}

// Published result files, kept beside a checkout where someone has collected them; they are not ours to commit.
const folder = new URL('../../../../../shared/real-results/', import.meta.url);
const index = new URL('index.json', folder);
const entries: Entry[] = existsSync(index) ? JSON.parse(readFileSync(index, 'utf8')).files : [];
/** Tools that have no adapter yet, by the beginning of their files' names: a line goes when its adapter comes. */
const notYet = [
  'aiperf__',
  'genai_perf__',
  'guidellm__',
  'inference_perf__',
  'inferencex__',
  'llama_batched_bench__',
  'llama_bench__qwen3.6-27b_prefill',
  'llama_bench__readme_rtx4080',
  'llama_bench__wmma',
  'llama_benchy__',
  'llama_sweep_bench__',
  'llm_optimizer__',
  'llmperf__',
  'localscore__',
  'mlperf__',
  'ollama_verbose__',
  'optimum_benchmark__',
  'sglang_offline__',
  'sglang_one_batch__',
  'sglang_serving__',
  'triton__',
  'trtllm_bench__',
  'trtllm_serving__',
  'vllm_ci_table__',
  'vllm_latency__',
  'vllm_serve__ascend',
  'vllm_serve__deepseek',
  'vllm_serve__llmd',
  'vllm_serve__muse',
  'vllm_serve__qwen3.6-35b-fp8',
  'vllm_serve__v0.25.1',
  'vllm_sweep__',
  'vllm_throughput__',
];
const isRead = ({ file }: Entry) => !notYet.some((prefix) => file.startsWith(prefix));

function readValue(result: ReturnType<typeof readArtifact>['results'][number] | undefined, name: string): unknown {
  if (name === 'load.level') return result?.load?.level;
  if (name === 'scenario.input_tokens') return result?.scenario.inputTokens?.value;
  if (name === 'scenario.output_tokens') return result?.scenario.outputTokens?.value;
  return Object.entries(result?.metrics ?? {}).find(([metric]) => metric === name)?.[1];
}

const bytesOf = (file: string) => new Uint8Array(readFileSync(new URL(file, folder)));

describe.skipIf(entries.length === 0)('published files', () => {
  test.each(entries.filter((entry) => isRead(entry) && entry.verdict.startsWith('accept')))('$file', (entry) => {
    const { file, results, n_results } = entry;
    const reading = readArtifact(bytesOf(file));
    expect(reading.results).toHaveLength(n_results);
    for (const [position, { expect: values, facts }] of results.entries()) {
      const result = reading.results[position];
      for (const [name, value] of Object.entries(values))
        expect([name, readValue(result, name)]).toEqual([name, value]);
      if (typeof facts?.tps_sd === 'number') expect(Object.values(result?.repeats?.sd ?? {})[0]).toBe(facts.tps_sd);
    }
  });

  // Their words resemble ours and mean something else.
  test.each(entries.filter((entry) => !isRead(entry)))('$file is of a tool not read yet: refused', ({ file }) => {
    expect(() => readArtifact(bytesOf(file))).toThrow(expect.objectContaining({ code: 'tool_unrecognised' }));
  });
});
