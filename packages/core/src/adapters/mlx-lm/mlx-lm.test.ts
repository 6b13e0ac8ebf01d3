import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readArtifact } from '../index.ts';

const fixture = (name: string) => readFileSync(new URL(`../../../fixtures/${name}`, import.meta.url), 'utf8');
const read = (text: string, options = {}) => readArtifact(new TextEncoder().encode(text), options).results;
const first = fixture('mlx-lm-benchmark/2025-08-first-layout.txt');

// https://github.com/ml-explore/mlx-lm/pull/396
test('reads averages as metrics and trials as repeats', () => {
  expect(read(first)).toEqual([
    expect.objectContaining({
      system: expect.objectContaining({ model: null, engine: { value: 'mlx', origin: 'stated' } }),
      scenario: expect.objectContaining({
        inputTokens: { value: 2048, origin: 'stated' },
        outputTokens: { value: 128, origin: 'stated' },
      }),
      load: { mode: 'batch', level: 1 },
      metrics: { prefill_tok_s: 2902.166, decode_tok_s: 205.099, user_tok_s: 205.099 },
      definitions: { prefill_tok_s: 'in_process', decode_tok_s: 'in_process', user_tok_s: 'in_process' },
      extra: { peak_memory_gb: 3.285 },
    }),
  ]);
  expect(read(first)[0]?.repeats).toMatchObject({
    n: 5,
    sd: { decode_tok_s: expect.closeTo(0.2995, 4) },
    samples: { prefill_tok_s: [2902.212, 2901.392, 2902.077, 2902.258, 2902.89] },
  });
});

// README of a Vulkan backend for MLX
test('reads times of whole trials, also with a fence right after a value', () => {
  const [bf16, int8] = read(fixture('mlx-lm-benchmark/2026-two-runs.md'));
  expect(bf16).toMatchObject({
    metrics: { prefill_tok_s: 2295.9, decode_tok_s: 33.417, e2e_ms_mean: expect.closeTo(5738.4, 6) },
    definitions: { e2e_ms: 'whole_batch' },
    extra: { peak_memory_gb: 2.825 },
  });
  expect(int8?.metrics).toMatchObject({ prefill_tok_s: 1317.353, decode_tok_s: 20.398 });
});

// https://github.com/ml-explore/mlx-lm/pull/478
test('reads averages alone with the workload of the command and a batch', () => {
  const [result] = read(fixture('mlx-lm-benchmark/2025-09-averages-alone.md'));
  expect(result).toMatchObject({
    system: {
      model: { value: 'mlx-community/Qwen3-Next-80B-A3B-Thinking-4bit', origin: 'context' },
    },
    scenario: { inputTokens: { value: 128, origin: 'context' }, outputTokens: { value: 128, origin: 'context' } },
    load: { mode: 'batch', level: 16 },
    metrics: { prefill_tok_s: 944.421, decode_tok_s: 301.916, user_tok_s: 18.86975 },
  });
  expect(read('Averages: prompt_tps=944.421, generation_tps=301.916, peak_memory=46.885\n')[0]).toMatchObject({
    load: null,
    notes: [{ code: 'load_unknown' }],
  });
});

// (351.905 + 363.097) / 2 and (38.757 + 38.15) / 2
test('reads the means of the trials of an interrupted run, and marks it', () => {
  const [result] = read(fixture('mlx-lm-benchmark/2026-interrupted.txt'));
  expect(result).toMatchObject({
    system: { model: { value: 'Qwen3.5-4B-MLX-4bit' } },
    metrics: { prefill_tok_s: expect.closeTo(357.501, 9), decode_tok_s: expect.closeTo(38.4535, 9) },
    repeats: { n: 2, samples: { decode_tok_s: [38.757, 38.15] } },
    notes: [{ code: 'truncated' }],
  });
});

test.each([
  ['truncated averages', first.slice(0, first.lastIndexOf('205.099') + 5)],
  ['a truncated trial', first.slice(0, first.indexOf('Trial 1') + 30)],
])('rejects %s', (_, text) => {
  expect(() => read(text)).toThrow(
    expect.objectContaining({ faults: expect.arrayContaining([expect.objectContaining({ code: 'block_cut' })]) }),
  );
});

// https://github.com/ml-explore/mlx-examples/pull/1122 and 1081
test('reads tokens and speeds of one request below a response', () => {
  const [before, after] = read(fixture('mlx-lm-generate/2024-11-pre-and-post.md'));
  expect(before).toMatchObject({
    system: { model: { value: 'mlx-community/Meta-Llama-3.1-8B-Instruct-4bit' }, engine: { value: 'mlx' } },
    load: { mode: 'batch', level: 1 },
    metrics: { prefill_tok_s: 767.674, decode_tok_s: 41.312, input_tokens: 1929, output_tokens: 256 },
    extra: { peak_memory_gb: 5.082 },
  });
  expect(after?.metrics.decode_tok_s).toBe(72.733);
  expect(after?.system.model).toEqual(before?.system.model);
  expect(read(fixture('mlx-lm-generate/2024-11-cache-memory.txt'))[0]?.metrics).toMatchObject({
    prefill_tok_s: 430.339,
    decode_tok_s: 32.48,
  });
});

// https://github.com/ml-explore/mlx-examples/pull/392
test('reads the speeds of the first layout, which has no tokens', () => {
  const results = read(fixture('mlx-lm-generate/2024-01-speeds-alone.md'));
  expect(results.map(({ metrics }) => metrics)).toEqual([
    { prefill_tok_s: 15.634, decode_tok_s: 60.364, user_tok_s: 60.364, requests_ok: 1 },
    { prefill_tok_s: 16.123, decode_tok_s: 27.702, user_tok_s: 27.702, requests_ok: 1 },
  ]);
  expect(results[1]?.system.model?.value).toBe('Mistral-7B-v0.1-hf-4bit-mlx');
});

test.each([
  'Prompt: 1929 tokens, 767.674 tokens-per-sec\nPeak memory: 5.082 GB\n',
  'Prompt: 12 tokens per second\nGeneration: fast\n',
  'Trial 1:  loss=0.5, accuracy=0.9\nAverages: loss=0.5\n',
])('does not claim %j', (text) => {
  for (const tool of ['mlx-lm-benchmark', 'mlx-lm-generate'])
    expect(() => read(text, { tool })).toThrow(expect.objectContaining({ code: 'tool_unrecognised' }));
});

// https://github.com/ml-explore/mlx-lm/pull/525
test('reads averages after a word as a separate run', () => {
  const text = readFileSync(new URL('../../../fixtures/mlx-lm-benchmark/2025-10-pre-and-post.md', import.meta.url));
  const { results } = readArtifact(new Uint8Array(text));
  const shared = {
    system: { model: { value: 'mlx-community/granite-4.0-h-small-4bit', origin: 'context' } },
    scenario: { inputTokens: { value: 2048, origin: 'context' }, outputTokens: { value: 2, origin: 'context' } },
    load: { mode: 'batch', level: 1 },
    notes: [],
  };
  expect(results).toMatchObject([shared, shared]);
  expect(results.map(({ metrics }) => [metrics.prefill_tok_s, metrics.decode_tok_s])).toEqual([
    [439.847, 86.45],
    [500.388, 83.726],
  ]);
});

describe('a command above several reports', () => {
  const command = '$ mlx_lm.benchmark --model example-org/Qwen3-4B-4bit -p 512 -g 64\n';
  const report = 'Averages: prompt_tps=400.125, generation_tps=80.250, peak_memory=6.125\n';
  const next = report.replace('400.125', '500.125');
  const models = (text: string) => read(text).map(({ system }) => system.model?.value ?? null);
  const first = 'example-org/Qwen3-4B-4bit';

  test.each(['', 'After the change:\n', 'With 1024 threads:\n', '### Qwen3-4B-4bit\n'])(
    'applies to both reports with %j between them',
    (between) => {
      expect(models(`${command}${report}${between}${next}`)).toEqual([first, first]);
    },
  );

  test.each([
    'With Qwen3 8B:\n',
    'With Qwen3-8B:\n',
    'The same with 8bit weights:\n',
    'example-org/granite-4.0-h-tiny\n',
    '$ other_bench --model example\n',
  ])('applies only to the first report with %j between them', (between) => {
    expect(models(`${command}${report}${between}${next}`)).toEqual([first, null]);
  });

  // https://github.com/ml-explore/mlx/pull/3077
  test('applies to both of two runs that are compared without the word "Averages"', () => {
    const pre = 'Pre:   prompt_tps=27330.184, generation_tps=184.120, peak_memory=9.545\n';
    const post = 'Post: prompt_tps=30322.676, generation_tps=209.213, peak_memory=10.007\n';
    const results = read(`${command}H100\n${pre}${post}`);
    expect(results.map(({ metrics }) => metrics.prefill_tok_s)).toEqual([27330.184, 30322.676]);
    expect(results.map(({ system }) => system.model?.value)).toEqual([first, first]);
  });

  test('applies only to the first report with the heading of another model between them', () => {
    expect(models(`${command}${report}### Qwen3 8B\n${next}`)).toEqual([first, 'Qwen3 8B']);
  });

  // https://github.com/ml-explore/mlx-lm/pull/1010
  test('is read from a sentence that labels it', () => {
    const sentence = 'Without delay (command: `mlx_lm benchmark --model example-org/Qwen3-4B-4bit -n 5 --delay 0`):\n';
    expect(models(`${sentence}${report}`)).toEqual([first]);
  });

  test('is replaced by another command', () => {
    const other = command.replace('Qwen3-4B', 'Qwen3-8B');
    expect(models(`${command}${report}${other}${next}${report.replace('400.125', '600.125')}`)).toEqual([
      first,
      'example-org/Qwen3-8B-4bit',
      'example-org/Qwen3-8B-4bit',
    ]);
  });

  test('states no load with an unreadable batch size', () => {
    const results = read(`${command.replace('-g 64', '-g 64 -b $SIZE')}${report}`);
    expect(results).toMatchObject([{ load: null, notes: [{ code: 'load_unknown' }] }]);
  });
});
