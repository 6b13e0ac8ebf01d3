import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readArtifact } from '../index.ts';

const fixture = (name: string) => readFileSync(new URL(`../../../fixtures/${name}`, import.meta.url), 'utf8');
const readAll = (text: string) => readArtifact(new TextEncoder().encode(text));
const read = (text: string) => readAll(text).results;
// Published in ggml-org/llama.cpp, issues 9013, 9353 and 34 and pull request 23269, and noonghunna/club-3090, issue 1124. The total of the server in
// the first is the sum of its times.
const both = fixture('llama-timings/b5400-server-and-cli.txt');
const cli = fixture('llama-timings/b3678-cli-two-runs.txt');
const drafts = fixture('llama-timings/b7200-server-drafts.txt');

test('llama-cli: reads speeds of one stream, and no latency from the total', () => {
  const [first] = read(both);
  expect(first?.metrics).toEqual({
    prefill_tok_s: 52.85,
    user_tok_s: 12.64,
    decode_tok_s: 12.64,
    requests_ok: 1,
    input_tokens: 49,
  });
  expect(first?.definitions).toEqual({
    prefill_tok_s: 'in_process',
    user_tok_s: 'in_process',
    decode_tok_s: 'in_process',
  });
  expect(first?.load).toEqual({ mode: 'batch', level: 1 });
  expect(first?.extra).toEqual({ total_ms: 20699.49, eval_runs: 178 });
});

// Published in hogeheer499-commits/strix-halo-guide, data/raw/2026-05-03/filled-kv-decode.
test('llama-server: reads the length of a prompt that was not cached', () => {
  const log = fixture('llama-timings/b9010-server-filled-context.txt');
  const results = read(log);
  expect(results.map(({ metrics }) => metrics.input_tokens)).toEqual([32764, 32764]);
  expect(results.map(({ metrics }) => metrics.user_tok_s)).toEqual([46.59, 45.75]);
  // The line of task -1 is not a request.
  expect(results[0]?.load).toEqual({ mode: 'concurrency', level: 1 });
  const cached = read(log.replace('33633.17 ms / 32764 tokens', '33633.17 ms / 12764 tokens'));
  expect(cached[1]?.metrics).not.toHaveProperty('input_tokens');
});

test('llama-server: reads a request with its latency at a concurrency of 1', () => {
  const [, second] = read(both);
  expect(second?.metrics).toEqual({
    prefill_tok_s: 55.73,
    user_tok_s: 11.94,
    decode_tok_s: 11.94,
    e2e_ms_mean: 23954,
    requests_ok: 1,
    input_tokens: 51,
    output_tokens: 275,
  });
  expect(second?.load).toEqual({ mode: 'concurrency', level: 1 });
  expect(second?.extra).toEqual({ prompt_tokens_evaluated: 51 });
});

test('has an unknown load for requests that overlap or may overlap', () => {
  const other = 'slot launch_slot_: id  1 | task 7 | processing task\n';
  const [, overlapping] = read(both.replace('slot update_slots', `${other}slot update_slots`));
  expect(overlapping?.load).toBeNull();
  expect(overlapping?.metrics).not.toHaveProperty('decode_tok_s');
  const [result] = read(drafts);
  expect(result?.load).toBeNull();
  expect(result?.notes).toEqual([expect.objectContaining({ code: 'load_unknown' })]);
});

test('reads drafted tokens as a feature of the system', () => {
  const [result] = read(drafts);
  expect(result?.metrics).toMatchObject({ user_tok_s: 16.58, e2e_ms_mean: 5981.21, output_tokens: 96 });
  expect(result?.system.features).toEqual({ speculative_decoding: true });
  expect(result?.extra).toEqual({ prompt_tokens_evaluated: 4, acceptance_rate: 0.46218 });
  const [older] = read(fixture('llama-timings/b6900-server-port-prefix.txt'));
  expect(older?.metrics).toMatchObject({ prefill_tok_s: 33.33, user_tok_s: 13.4, e2e_ms_mean: 15224 });
  expect(older?.extra.acceptance_rate).toBe(0.81944);
});

test('reads every run as a repetition, with the command and the devices above it', () => {
  expect(read(cli).map(({ repetition, metrics }) => [repetition, metrics.user_tok_s])).toEqual([
    [1, 48.57],
    [2, 57.04],
  ]);
  const log = `$ ./llama-cli -m /models/Example-8B-Q4_K_M.gguf -p "Hello" -n 128
ggml_cuda_init: found 1 CUDA devices:
  Device 0: NVIDIA GeForce RTX 4090, compute capability 8.9, VMM: yes
${cli}`;
  expect(read(log)[1]?.system).toMatchObject({
    model: { value: 'Example-8B-Q4_K_M.gguf', origin: 'context' },
    quantization: { value: 'Q4_K_M', origin: 'inferred' },
    gpu: { value: 'NVIDIA GeForce RTX 4090' },
    gpuCount: { value: 1 },
    engine: { value: 'llama.cpp' },
  });
});

test('reads weights outside GPU memory from the command', () => {
  const features = (options: string) =>
    read(`$ ./llama-cli -m /models/Example-8B-Q4_K_M.gguf ${options} -p "Hello"\n${cli}`)[1]?.system.features;
  expect(features('-ngl 99 -ot ".ffn_.*_exps.=CPU"')).toEqual({
    override_tensor: '.ffn_.*_exps.=CPU',
    offload: true,
  });
  expect(features('-ngl 20')).toEqual({ n_gpu_layers: 20 });
  expect(features('-ngl 99')).toEqual({});
});

// Published in ikawrakow/ik_llama.cpp, pull request 278 and issue 474.
test('reads the layout of llama-server with its fields after the figures, and the fork from its options', () => {
  const [result, ...others] = read(fixture('llama-timings/b3700-ik-server-fields.txt'));
  expect(others).toEqual([]);
  expect(result?.metrics).toEqual({
    prefill_tok_s: 101.18,
    user_tok_s: 8.98,
    decode_tok_s: 8.98,
    e2e_ms_mean: 176265.73,
    requests_ok: 1,
    output_tokens: 1254,
  });
  expect(result).toMatchObject({
    load: { mode: 'concurrency', level: 1 },
    system: { engine: { value: 'ik_llama.cpp', origin: 'inferred' }, model: { value: 'DeepSeek-R1-Q4_K_R4.gguf' } },
  });
});

test('reads common_perf_print with the command of llama-completion', () => {
  const [result] = read(fixture('llama-timings/b8925-common-perf-print.txt'));
  expect(result?.metrics).toEqual({
    prefill_tok_s: 95.38,
    user_tok_s: 15.5,
    decode_tok_s: 15.5,
    requests_ok: 1,
    input_tokens: 82,
  });
  expect(result).toMatchObject({
    load: { mode: 'batch', level: 1 },
    system: { model: { value: 'SmolLM-135M.Q8_0.gguf' } },
  });
});

test('reads a request without its total, and no engine where two print the same', () => {
  const results = read(fixture('llama-timings/b3700-server-without-totals.txt'));
  expect(results.map(({ metrics }) => [metrics.prefill_tok_s, metrics.user_tok_s, metrics.e2e_ms_mean])).toEqual([
    [62.97, 8.79, undefined],
    [16.65, 8.79, undefined],
  ]);
  expect(results[0]?.system.engine).toBeNull();
  expect(results[0]?.load).toBeNull();
});

// Published in ggml-org/llama.cpp, issue 34, in May 2023.
test('llama-cli: computes the speeds of releases that print only the time per token', () => {
  const [result] = read(
    [
      'llama_print_timings:        load time = 25853.83 ms',
      'llama_print_timings:      sample time =    68.77 ms /   100 runs   (    0.69 ms per token)',
      'llama_print_timings: prompt eval time = 25546.94 ms /   353 tokens (   72.37 ms per token)',
      'llama_print_timings:        eval time = 25116.73 ms /    99 runs   (  253.70 ms per token)',
      'llama_print_timings:       total time = 51069.18 ms',
    ].join('\n'),
  );
  expect(result?.metrics.prefill_tok_s).toBeCloseTo(13.82, 2);
  expect(result?.metrics.decode_tok_s).toBeCloseTo(3.942, 3);
  expect(result?.metrics.input_tokens).toBe(353);
});

// The benchmark programs print the same lines below their own report.
test.each(['llama-batched-bench/2025-log.txt', 'llama-bench/b6413-power-limit.txt'])(
  'is skipped next to %s',
  (name) => {
    const report = fixture(name);
    expect(read(`${report}\n${cli}`).map(({ metrics }) => metrics)).toEqual(read(report).map(({ metrics }) => metrics));
  },
);

test.each([
  ['a block that ends in a figure', cli.slice(0, cli.indexOf(' tokens per second)\nllama_print_timings:       total'))],
  ['a single token', cli.replaceAll(/ {3}(?:342|127) runs/g, '     1 runs')],
  ['a missing speed', cli.replaceAll(/(?:48|57)\.\d\d tokens per second/g, '  inf tokens per second')],
  ['prose', 'The prompt eval time = 10.00 ms / 5 tokens was fine.\n'],
])('does not claim %s', (_, text) => {
  expect(() => read(text)).toThrow(expect.objectContaining({ code: 'tool_unrecognised' }));
});
