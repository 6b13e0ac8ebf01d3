import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readArtifact } from '../index.ts';

const read = (text: string) => readArtifact(new TextEncoder().encode(text)).results;
const block = `============ Serving Benchmark Result ============
Benchmark Mode:                          simulation
Backend:                                 sglang
Traffic request rate:                    inf
Max request concurrency:                 not set
Successful requests:                     50
Benchmark duration (s):                  20.00
Total input tokens:                      51200
Total input text tokens:                 -1
Total generated tokens:                  51200
Total generated tokens (retokenized):    -1
Request throughput (req/s):              2.50
Input token throughput (tok/s):          2560.00
Output token throughput (tok/s):         2560.00
Peak output token throughput (tok/s):    -1.00
Concurrency:                             -1.00
---------------Time to First Token----------------
Mean TTFT (ms):                          10.97
==================================================
`;

describe('figures of a simulator', () => {
  test('are marked, and the figures that it does not simulate are missing', () => {
    const [result] = read(block);
    expect(result?.extra).toEqual({ simulated: true });
    expect(result?.metrics).toMatchObject({ output_tok_s: 2560, ttft_ms_mean: 10.97 });
  });

  test('are refused if they have a count of -1 without the mode', () => {
    expect(() => read(block.replace(/Benchmark Mode.*\n/, ''))).toThrow('cannot be parsed');
  });

  test('are marked also if all are above 0', () => {
    expect(read(block.replaceAll(/.*-1.*\n/g, ''))[0]?.extra.simulated).toBe(true);
  });
});

test.each(['sglang.bench_one_batch', 'sglang.benchmark.one_batch'])('reads the command of %s', (program) => {
  const url = new URL('../../../fixtures/sglang-bench-one-batch/2025-10-sizes-from-command.txt', import.meta.url);
  const log = readFileSync(url, 'utf8').replace('sglang.bench_one_batch', program);
  expect(read(log)[0]?.system.model?.value).toBe('meta-llama/Meta-Llama-3-8B-Instruct');
});

test.each(['sglang.bench_serving', 'sglang.benchmark.serving', 'sgl_jax.bench_serving'])(
  'reads the command of %s',
  (program) => {
    const text = `$ python -m ${program} --model org/name --num-prompts 50\n${block}`;
    expect(read(text)[0]?.system.model?.value).toBe('org/name');
  },
);
