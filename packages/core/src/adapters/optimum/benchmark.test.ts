import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { offlineLoad } from '../../subjects/load.ts';
import { readArtifact } from '../index.ts';

const fixture = (name: string) => readFileSync(new URL(`../../../fixtures/${name}`, import.meta.url), 'utf8');
const bytes = (text: string) => new TextEncoder().encode(text);
const read = (text: string) => readArtifact(bytes(text)).results;
const benchmark = fixture('optimum-benchmark/0.5-benchmark.json');
const markdown = fixture('optimum-benchmark/0.5-markdown.md');

// Two prompts of 128 tokens in 50 ms are 5120 tok/s; 2 x 64 tokens in 1.6 s are 80, or 40 per sequence.
test('reads benchmark.json with token speeds of the batch and of one sequence', () => {
  const [result] = read(benchmark);
  expect(result?.metrics).toMatchObject({ prefill_tok_s: 5120, decode_tok_s: 80, user_tok_s: 40, ttft_ms_p50: 50 });
  expect(result?.metrics.ttft_ms_mean).toBeCloseTo(50, 9);
  expect(result?.metrics.tpot_ms_mean).toBeCloseTo(25, 9);
  expect(result?.metrics.itl_ms_p50).toBe(25);
  expect(result?.definitions).toEqual({
    ttft_ms: 'prefill_only',
    tpot_ms: 'without_first_token',
    itl_ms: 'per_token',
    prefill_tok_s: 'in_process',
    decode_tok_s: 'in_process',
    user_tok_s: 'in_process',
  });
  expect(result?.load).toEqual({ mode: 'batch', level: 2 });
  expect(result?.scenario).toMatchObject({ inputTokens: { value: 128 }, outputTokens: { value: 65 } });
});

// Percentiles over single steps are not percentiles over requests.
test('reads only the mean time per output token', () => {
  expect(Object.keys(read(benchmark)[0]?.metrics ?? {}).filter((name) => name.startsWith('tpot'))).toEqual([
    'tpot_ms_mean',
  ]);
});

test('counts the two GPUs that were used of eight, and omits private values', () => {
  const [result] = read(benchmark);
  expect(result?.system).toMatchObject({
    model: { value: 'org/Example-8B', origin: 'stated' },
    quantization: { value: 'bfloat16' },
    gpu: { value: 'NVIDIA A100-SXM4-80GB' },
    gpuCount: { value: 2 },
    engine: { value: 'transformers' },
    engineVersion: { value: '4.46.0' },
    features: { attention: 'sdpa', torch_compile: true },
  });
  expect(JSON.stringify(result)).not.toContain('box-17');
});

test.each([
  ['"0,1"', '"0"', 1],
  ['"0,1"', 'null', undefined],
  ['"0,1"', '3', 1],
])('reads the GPU count from device_ids, %s replaced by %s', (from, to, count) => {
  expect(read(benchmark.replace(from, to))[0]?.system.gpuCount?.value).toBe(count);
});

// 49, 50 and 51 ms: 0.8165 with n, 1 with n - 1.
test('reads iterations as repetitions with the deviation of a sample', () => {
  const [result] = read(benchmark);
  expect(result?.repeats).toMatchObject({ n: 3, samples: { ttft_ms_mean: [49, 50, 51] } });
  expect(result?.repeats?.sd.ttft_ms_mean).toBeCloseTo(1, 9);
});

test.each(['0.5-report.json', '0.5-markdown.md'])(
  '%s: has no prefill speed in tokens without the configuration',
  (name) => {
    const [result, ...others] = read(fixture(`optimum-benchmark/${name}`));
    expect(others).toEqual([]);
    expect(result?.metrics).not.toHaveProperty('prefill_tok_s');
    expect(result?.metrics).not.toHaveProperty('user_tok_s');
    expect(result?.metrics.decode_tok_s).toBe(80);
    expect(result?.metrics.ttft_ms_mean).toBeCloseTo(50, 9);
    expect(result?.extra.prefill_samples_s).toBe(40);
    expect(result?.load).toEqual(offlineLoad);
    expect(result?.notes.map(({ code }) => code)).toEqual(['load_unknown', 'unit_unknown']);
  },
);

test('reads a prefill speed in tokens from newer reports', () => {
  const text = benchmark.replace('"samples/s"', '"tokens/s"');
  expect(read(text)[0]?.metrics.prefill_tok_s).toBe(40);
});

// Both have six decimals: 0.265845 / 10 is 0.0265845, and the mean is printed as 0.026585.
test('computes a more exact mean from the printed total', () => {
  const text = [
    '# prefill:',
    '## latency:',
    '| count | 10 | - |',
    '| total | 0.265845 | s |',
    '| mean | 0.026585 | s |',
  ];
  expect(read(text.join('\n'))[0]?.metrics.ttft_ms_mean).toBeCloseTo(26.5845, 12);
});

test('reads two reports in one log', () => {
  expect(read(fixture('optimum-benchmark/0.5-log-two-reports.txt')).map(({ metrics }) => metrics.ttft_ms_p50)).toEqual([
    50, 100,
  ]);
});

test.each([
  ['milliseconds', benchmark.replaceAll('"unit": "s"', '"unit": "ms"'), 'artifact_unreadable'],
  ['a truncated figure', markdown.replace('| 80.00 |', '| 80.0… |'), 'artifact_unreadable'],
  ['a truncated file', benchmark.slice(0, -100), 'tool_unrecognised'],
  [
    'a report with loading only',
    JSON.stringify({ load_model: { memory: null, latency: null, throughput: null }, prefill: null }),
    'artifact_unreadable',
  ],
])('rejects %s', (_, text, code) => {
  expect(() => read(text)).toThrow(expect.objectContaining({ code }));
});

test.each(['localscore/0.9-report.json', 'llama-benchy/0.2-report.json'])('does not claim %s', (name) => {
  expect(() => readArtifact(bytes(fixture(name)), { tool: 'optimum-benchmark' })).toThrow(
    expect.objectContaining({ code: 'tool_unrecognised' }),
  );
});

test('reads plain text with counts without a unit, and throughput in a section or inline', () => {
  const lines = (throughput: string[]) =>
    [
      '\t+ prefill:',
      '\t\t+ latency:',
      '\t\t\t+ count: 10',
      '\t\t\t+ total: 1.316000 (s)',
      '\t\t\t+ mean: 0.131600 (s)',
      '\t\t\t+ stdev_: 0.76 (%)',
      ...throughput,
    ].join('\n');
  const nested = read(lines(['\t\t+ throughput:', '\t\t\t+ throughput: 121.58 (tokens/s)']));
  expect(nested[0]?.metrics).toEqual({ ttft_ms_mean: 131.6, prefill_tok_s: 121.58 });
  expect(read(lines(['\t\t+ throughput: 121.58 (tokens/s)']))[0]?.metrics).toEqual(nested[0]?.metrics);
});

/** Statistics of some seconds as the program writes them; the reader does not use those that are missing. */
const timed = (values: number[]) => {
  const total = values.reduce((sum, value) => sum + value, 0);
  return { unit: 's', values, count: values.length, total, mean: total / values.length, p50: values[0], stdev: 0 };
};
const phase = (values: number[], throughput: object | null) => ({ memory: null, latency: timed(values), throughput });

// Three requests of four tokens, whose steps take 10, 20 and 30 ms. The pauses between the requests take 90 and 95 ms.
test('counts each step once if the report repeats the steps of earlier iterations', () => {
  const requests = [
    [0.01, 0.01, 0.01],
    [0.02, 0.02, 0.02],
    [0.03, 0.03, 0.03],
  ] as const;
  const [first, second, third] = requests;
  const gaps = [...first, ...first, 0.09, ...second, ...first, 0.09, ...second, 0.095, ...third];
  const report = {
    load_model: null,
    prefill: phase([0.09, 0.09, 0.095], { unit: 'samples/s', value: 11 }),
    decode: phase([0.03, 0.06, 0.09], { unit: 'tokens/s', value: 50 }),
    per_token: phase(gaps, null),
  };
  const [result] = read(JSON.stringify(report));
  expect(result?.metrics.tpot_ms_mean).toBeCloseTo(20, 9);
  expect(result?.metrics.itl_ms_p50).toBe(20);
  expect(result?.metrics.itl_ms_p99).toBe(30);
  expect(result?.notes.map(({ code }) => code)).toContain('steps_repeated');
});

// https://github.com/DerekLiu35/huggingface-quantization-benchmarking-code, runs/llama70b_compile: 10 requests of 64 tokens
// list 3510 steps, with the mean 99.409 ms and the 99th percentile 131.714 ms, which is the duration of the prefill.
test('takes the mean from the decoding time if the repeated steps are not listed', () => {
  const [result] = read(fixture('optimum-benchmark/0.6-steps-repeated.md'));
  expect(result?.metrics.tpot_ms_mean).toBeCloseTo(62_338.273 / 630, 9);
  expect(result?.metrics.itl_ms_mean).toBe(result?.metrics.tpot_ms_mean);
  expect(Object.keys(result?.metrics ?? {})).not.toContain('itl_ms_p99');
});

test.each([
  ['"gptq"', '{ "bits": 2 }', 'gptq-int2'],
  ['"gptq"', '{ "bits": 4 }', 'gptq'],
  ['"torchao"', '{ "quant_type": "int4_weight_only" }', 'w4a16'],
  ['null', '{}', 'AWQ'],
])('reads the quantization from the scheme %s with %s', (scheme, config, expected) => {
  const text = benchmark
    .replace('"org/Example-8B"', '"org/Example-8B-AWQ"')
    .replace('"quantization_scheme": null', `"quantization_scheme": ${scheme}, "quantization_config": ${config}`);
  expect(read(text)[0]?.system.quantization?.value).toBe(expected);
});

// A machine with a display adapter among its GPUs.
test('names the GPUs that were used of several models', () => {
  const text = benchmark.replace(
    /"gpu": \[[^\]]*\]/,
    '"gpu": ["NVIDIA A100-SXM4-80GB", "NVIDIA A100-SXM4-80GB", "NVIDIA DGX Display"]',
  );
  expect(read(text)[0]?.system).toMatchObject({ gpu: { value: 'NVIDIA A100-SXM4-80GB' }, gpuCount: { value: 2 } });
});
