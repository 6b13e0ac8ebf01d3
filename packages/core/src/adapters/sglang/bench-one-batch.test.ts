import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DomainError } from '../../errors.ts';
import { offlineLoad } from '../../subjects/load.ts';
import { readArtifact } from '../index.ts';

const fixture = (name: string) =>
  readFileSync(new URL(`../../../fixtures/sglang-bench-one-batch/${name}`, import.meta.url), 'utf8');
const read = (text: string) => readArtifact(new TextEncoder().encode(text)).results;
const console2025 = fixture('2025-10-sizes-from-command.txt');

function faultsOf(text: string): string[] {
  try {
    read(text);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return error.faults.map(({ line, pointer }) => `${line} ${pointer ?? ''}`);
  }
  throw new Error('was read, and should not have been');
}

test('reads a line: the prefill as TTFT, the median step as TPOT', () => {
  const [first, second, single] = read(fixture('2024-09-two-runs.jsonl'));
  expect(first?.metrics).toEqual({
    ttft_ms_mean: 15.625,
    tpot_ms_p50: 7.8125,
    // 15.625 ms + 31 steps of 7.8125 ms
    e2e_ms_mean: 257.8125,
    output_tok_s: 32 / 0.2578125,
    total_tok_s: 288 / 0.2578125,
    prefill_tok_s: 16384,
    decode_tok_s: 128,
  });
  expect(first?.definitions).toEqual({
    ttft_ms: 'prefill_only',
    tpot_ms: 'without_first_token',
    e2e_ms: 'whole_batch',
    prefill_tok_s: 'in_process',
    decode_tok_s: 'in_process',
  });
  expect(first?.load).toEqual({ mode: 'batch', level: 1 });
  expect(first?.scenario).toMatchObject({ inputTokens: { value: 256 }, outputTokens: { value: 32 } });
  expect([first?.repetition, second?.repetition, single?.repetition]).toEqual([1, 2, 1]);
  expect(first?.system.quantization).toEqual({ value: 'bf16', origin: 'inferred' });
  // One token was requested, so nothing was decoded.
  expect(single?.metrics.tpot_ms_p50).toBeUndefined();
  expect(single?.metrics.decode_tok_s).toBeUndefined();
});

test('reads console output without the warm-up, with sizes in the order of the command', () => {
  const results = read(console2025);
  expect(results.map(({ load }) => load)).toEqual([
    { mode: 'batch', level: 1 },
    { mode: 'batch', level: 8 },
  ]);
  expect(results[0]?.metrics).toMatchObject({
    ttft_ms_mean: 20,
    tpot_ms_p50: 8,
    e2e_ms_mean: 76,
    prefill_tok_s: 12800,
  });
  expect(results[1]?.scenario).toMatchObject({ inputTokens: { value: 256 }, outputTokens: { value: 8 } });
  expect(results[1]?.system).toMatchObject({
    model: { value: 'meta-llama/Meta-Llama-3-8B-Instruct', origin: 'context' },
    quantization: { value: 'fp8' },
    parallelism: { tensor: 2 },
  });
});

// The end of a log of 2026-02 with the warm-up's figures but without the line "Warmup ...".
test('omits a warm-up whose first line is missing', () => {
  const cut = console2025.replace('Warmup ...\n', '');
  expect(read(cut).map(({ metrics }) => metrics.ttft_ms_mean)).toEqual([20, 50]);
  // Blocks of two runs without the line "Warmup ..." are measured: a command separates them.
  const measured = console2025.slice(console2025.indexOf('Benchmark ...'));
  const command = 'python3 -m sglang.bench_one_batch --model-path Qwen/Qwen3-8B --batch-size 1 8 --input-len 256\n';
  expect(read(`${measured}${command}${measured}`)).toHaveLength(4);
});

// Without it, figures of another model with the same sizes would be stored under the model of the first command.
test('does not keep the command for a run below a heading or sentence that names another model', () => {
  const measured = console2025
    .slice(console2025.indexOf('Benchmark ...'))
    .replace('0.076', '0.077')
    .replace('0.120', '0.121');
  const modelsOf = (between: string) =>
    read(`${console2025}${between}\n${measured}`).map(({ system }) => system.model?.value ?? null);
  const model = 'meta-llama/Meta-Llama-3-8B-Instruct';
  for (const same of [
    'After the change:',
    '### Llama 3 8B, again',
    '## TP/EP on 2 GPUs',
    'Model: Meta-Llama-3-8B-Instruct',
  ])
    expect(modelsOf(same)).toEqual([model, model, model, model]);
  const others = ['And for Qwen2.5 7B we get', 'Model: someone/tuned', '**MyModel-7B**', 'mistralai/Mixtral-8x7B:'];
  for (const other of others) expect(modelsOf(other)).toEqual([model, model, null, null]);
  for (const named of ['Qwen3-8B', 'Meta-Llama-3-8B-Instruct-AWQ'])
    expect(modelsOf(`### ${named}`)).toEqual([model, model, named, named]);
  const [, , result] = read(`${console2025}And for Qwen2.5 7B we get\n${measured}`);
  expect(result?.system).toMatchObject({ model: null, quantization: null, parallelism: {}, gpuCount: null });
});

test('reads the command of bench_latency, the former name of the program', () => {
  const results = read(console2025.replace('sglang.bench_one_batch', 'sglang.bench_latency'));
  expect(results[1]?.scenario).toMatchObject({ inputTokens: { value: 256 }, outputTokens: { value: 8 } });
  expect(results[1]?.system.model).toMatchObject({ value: 'meta-llama/Meta-Llama-3-8B-Instruct' });
  // No default length of responses is assumed for it.
  const short = console2025.replace('sglang.bench_one_batch', 'sglang.bench_latency').replace('--output-len 8', '');
  expect(read(short)[1]?.scenario.outputTokens).toBeNull();
});

test('ignores a command that does not match the figures', () => {
  const other = console2025.replace('--input-len 256', '--input-len 512');
  const [result] = read(other);
  expect(result?.system.model).toBeNull();
  expect(result?.scenario.inputTokens).toBeNull();
  // The lines state the batch size.
  expect(result?.load).toEqual({ mode: 'batch', level: 1 });
});

test('has an unknown load without command and batch sizes, and notes a truncated block', () => {
  const [whole, cut] = read(fixture('2024-09-no-command.txt'));
  expect(whole?.load).toEqual(offlineLoad);
  expect(whole?.notes.map(({ code }) => code)).toEqual(['load_unknown']);
  // Since 2025 every step states its batch size.
  expect(cut?.load).toEqual({ mode: 'batch', level: 4 });
  expect(cut?.notes.map(({ code }) => code)).toEqual(['truncated']);
  expect(cut?.metrics).toEqual({ ttft_ms_mean: 26, prefill_tok_s: 19692.31 });
});

test('rejects a warm-up without a run', () => {
  expect(() => read(fixture('2025-10-warmup-only.refused.txt'))).toThrow('the warm-up');
});

test('reports every error of every record with its line and field', () => {
  expect(faultsOf(fixture('2024-09-faults.refused.jsonl'))).toEqual([
    '2 /batch_size',
    '2 /prefill_latency',
    '3 /total_latency',
    '4 /overall_throughput',
    '5 ',
  ]);
});

test('does not claim records of bench_one_batch_server', () => {
  const text = readFileSync(
    new URL('../../../fixtures/sglang-bench-one-batch-server/2024-11-three-runs.jsonl', import.meta.url),
  );
  expect(() => readArtifact(new Uint8Array(text), { tool: 'sglang-bench-one-batch' })).toThrow('not output of');
});
