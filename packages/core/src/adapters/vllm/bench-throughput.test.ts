import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { offlineLoad } from '../../subjects/load.ts';
import { readArtifact } from '../index.ts';

const fixture = (name: string) =>
  readFileSync(new URL(`../../../fixtures/vllm-bench-throughput/${name}`, import.meta.url), 'utf8');
const read = (text: string) => readArtifact(new TextEncoder().encode(text)).results;
const line = 'Throughput: 4.00 requests/s, 2000.00 total tokens/s, 800.00 output tokens/s';

test('reads tokens per second of a result file as the total', () => {
  const [result] = read(fixture('0.7-result.json'));
  expect(result?.metrics).toEqual({ requests_ok: 200, duration_s: 50, req_s: 4, total_tok_s: 2000 });
  expect(result?.load).toEqual({ mode: 'burst', level: 200, regime: 'offline' });
  expect(result?.definitions).toEqual({});
});

test('reads the output throughput from the printed line, and totals from the lines below', () => {
  const [result] = read(fixture('0.11-console-with-totals.txt'));
  expect(result?.metrics).toEqual({
    requests_ok: 200,
    input_tokens: 60_000,
    output_tokens: 40_000,
    req_s: 4,
    output_tok_s: 800,
    total_tok_s: 2000,
  });
  expect(result?.scenario).toMatchObject({ inputTokens: { value: 300 }, dataset: { value: 'random' } });
  expect(result?.lines).toEqual({ from: 3, to: 5 });
});

test('reads only the total from the older line, with an unknown load without a command', () => {
  const [result] = read(fixture('0.6.3-console-total-only.txt'));
  expect(result?.metrics).toEqual({ req_s: 4, total_tok_s: 2000 });
  expect(result?.load).toEqual(offlineLoad);
});

test('reads lengths only of random prompts', () => {
  const lengths = (dataset: string) =>
    read(`$ vllm bench throughput --model a/b --dataset-name ${dataset} --input-len 9 --output-len 8\n${line}`)[0]
      ?.scenario;
  expect(lengths('random')).toMatchObject({ inputTokens: { value: 9 }, outputTokens: { value: 8 } });
  expect(lengths('sharegpt')).toMatchObject({ inputTokens: null, outputTokens: null });
});

test('reads options with one dash', () => {
  const [result] = read(`$ vllm bench throughput --model a/b -tp 4 -pp 2\n${line}`);
  expect(result?.system).toMatchObject({ parallelism: { tensor: 4, pipeline: 2 }, gpuCount: { value: 8 } });
});

test('reads other engines of the program', () => {
  const engine = (backend: string) =>
    read(`$ python benchmark_throughput.py --model a/b --backend ${backend}\n${line}`)[0]?.system.engine;
  expect(engine('vllm')).toEqual({ value: 'vllm', origin: 'inferred' });
  expect(engine('hf')).toBeNull();
});

test.each([
  ['truncated output', fixture('0.11-cut.refused.txt'), '2 errors'],
  ['zero rates', line.replace('4.00', '0.00').replace('2000.00', '0.00'), 'nothing was measured'],
  ['output of the oldest serving script', 'Throughput: 4.00 requests/s', 'No known tool'],
])('rejects %s', (_, text, reason) => {
  expect(() => read(text)).toThrow(reason);
});

test('reads every rate as printed', () => {
  const cents = fc.integer({ min: 1, max: 1e9 }).map((value) => (value / 100).toFixed(2));
  fc.assert(
    fc.property(cents, cents, cents, (requests, total, output) => {
      const text = `Throughput: ${requests} requests/s, ${total} total tokens/s, ${output} output tokens/s`;
      expect(read(text)[0]?.metrics).toEqual({
        req_s: Number(requests),
        total_tok_s: Number(total),
        output_tok_s: Number(output),
      });
    }),
    { numRuns: 100 },
  );
});

// From a pull request of vLLM: the trials of two branches below one command.
test('gives lines that follow each other the command above them', () => {
  const text = `python benchmarks/benchmark_throughput.py --input-len 256 --output-len 256 --model meta-llama/Meta-Llama-3-8B

Throughput: 24.32 requests/s, 12453.04 tokens/s
Throughput: 24.11 requests/s, 12342.76 tokens/s

Throughput: 24.29 requests/s, 12434.40 tokens/s

This branch:
Throughput: 24.52 requests/s, 12555.73 tokens/s
`;
  const models = read(text).map(({ system, scenario }) => [system.model?.value, scenario.inputTokens?.value]);
  const known = ['meta-llama/Meta-Llama-3-8B', 256];
  expect(models).toEqual([known, known, known, [undefined, undefined]]);
});
