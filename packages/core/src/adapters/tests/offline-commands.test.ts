import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readArtifact } from '../index.ts';

const fixture = (name: string) => readFileSync(new URL(`../../../fixtures/${name}`, import.meta.url), 'utf8');
const read = (text: string) => readArtifact(new TextEncoder().encode(text)).results;

/** Model, load and input length of each result. */
const facts = (text: string) =>
  read(text).map(({ system, load, scenario }) => [
    system.model?.value ?? null,
    load?.level ?? null,
    scenario.inputTokens?.value ?? null,
  ]);

const oneBatch = (prefillS: string, tokS: string) =>
  [
    'Benchmark ...',
    `Prefill. latency: ${prefillS} s, throughput:  ${tokS} token/s`,
    'Decode.  median latency: 0.00800 s, median throughput:    125.00 token/s',
    'Total. latency:  0.076 s, throughput:   3473.68 token/s\n',
  ].join('\n');
const trtllm = (output: string) => `
===========================================================
= PERFORMANCE OVERVIEW
===========================================================
Request Throughput (req/sec):                     10.0000
Total Output Throughput (tokens/sec):             ${output}
Total Latency (ms):                               10000.0000
===========================================================
`;

/** Commands that differ in model and size, and the blocks that they print, in order. */
describe.each([
  {
    tool: 'vllm bench throughput',
    command: (model: string, size: number) =>
      `$ vllm bench throughput --model ${model} --dataset-name random --input-len ${size} --num-prompts ${size}\n`,
    blocks: [
      'Throughput: 4.00 requests/s, 2000.00 total tokens/s, 800.00 output tokens/s\n',
      'Throughput: 5.00 requests/s, 2500.00 total tokens/s, 900.00 output tokens/s\n',
    ],
    of: (model: string | null, size: number | null) => [model, size, size],
  },
  {
    tool: 'vllm bench latency',
    command: (model: string, size: number) =>
      `$ vllm bench latency --model ${model} --batch-size ${size} --input-len ${size}\n`,
    blocks: [
      'Avg latency: 1.25 seconds\n10% percentile latency: 1.2 seconds\n',
      'Avg latency: 1.35 seconds\n10% percentile latency: 1.3 seconds\n',
    ],
    of: (model: string | null, size: number | null) => [model, size, size],
  },
  {
    tool: 'sglang bench_offline_throughput',
    command: (model: string, size: number) =>
      `$ python -m sglang.bench_offline_throughput --model-path ${model} --num-prompts ${size}\n`,
    blocks: [
      "{'run_name': 'default', 'total_input_tokens': 1960, 'total_latency': 8.0, 'total_output_tokens': 2760, 'throughput': 590.0}\n",
      "{'run_name': 'default', 'total_input_tokens': 1960, 'total_latency': 4.0, 'total_output_tokens': 2760, 'throughput': 1180.0}\n",
    ],
    of: (model: string | null, size: number | null) => [model, size, null],
  },
  {
    tool: 'sglang bench_one_batch',
    command: (model: string, size: number) =>
      `$ python -m sglang.bench_one_batch --model-path ${model} --batch-size 1 --input-len ${size} --output-len 8\n`,
    blocks: [oneBatch('0.02000', '12800.00'), oneBatch('0.04000', '12800.00')],
    of: (model: string | null, size: number | null) => [size === null ? null : model, size === null ? null : 1, size],
  },
  {
    tool: 'trtllm-bench',
    command: (model: string, size: number) =>
      `$ trtllm-bench --model ${model} throughput --dataset d.txt --num_requests ${size}\n`,
    blocks: [trtllm('1000.0000'), trtllm('1100.0000')],
    of: (model: string | null, size: number | null) => [model, size, null],
  },
])('$tool', ({ command, blocks: [first = '', second = ''], of }) => {
  test('gives each block the command of its run if all commands precede the blocks', () => {
    const text = command('org/one', 256) + command('org/two', 512) + first + second;
    expect(facts(text)).toEqual([of('org/one', 256), of('org/two', 512)]);
  });

  test('gives a block only what several commands share', () => {
    const text = command('org/one', 256) + command('org/one', 512) + first;
    const [result] = facts(text);
    expect(result?.slice(1).every((value) => value !== 512)).toBe(true);
    expect(result?.[0]).toBe(of('org/one', null)[0]);
  });
});

test('gives all batches of a run of bench_one_batch the sizes of its own command', () => {
  const log = fixture('sglang-bench-one-batch/2025-10-sizes-from-command.txt');
  const commandEnd = log.indexOf('\n') + 1;
  const [command, output] = [log.slice(0, commandEnd), log.slice(commandEnd)];
  const other = command.replace('Meta-Llama-3-8B-Instruct', 'Llama-3.1-8B-Instruct');
  const models = read(command + other + output + output).map(({ system }) => system.model?.value.split('/')[1]);
  expect(models).toEqual([
    'Meta-Llama-3-8B-Instruct',
    'Meta-Llama-3-8B-Instruct',
    'Llama-3.1-8B-Instruct',
    'Llama-3.1-8B-Instruct',
  ]);
});
