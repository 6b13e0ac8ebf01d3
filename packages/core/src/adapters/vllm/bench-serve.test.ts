import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readArtifact } from '../index.ts';

const fixture = (name: string) => readFileSync(new URL(`../../../fixtures/${name}`, import.meta.url), 'utf8');
const read = (text: string) => readArtifact(new TextEncoder().encode(text)).results;
const whole = fixture('vllm-bench-serve/0.10-wrapped-namespace.txt');
const block = whole.slice(whole.indexOf('============ Serving'));
const context = whole.slice(0, whole.indexOf('============ Serving'));

test('reads all metrics, the model and the data set of a log with its block', () => {
  const [result] = read(whole);
  expect(result?.metrics).toEqual({
    requests_ok: 1000,
    requests_failed: 0,
    duration_s: 84.29,
    input_tokens: 214316,
    output_tokens: 91928,
    req_s: 11.86,
    output_tok_s: 1090.59,
    total_tok_s: 3633.14,
    ttft_ms_mean: 62.26,
    ttft_ms_p50: 49.91,
    ttft_ms_p99: 135.56,
    tpot_ms_mean: 26.26,
    tpot_ms_p50: 25.61,
    tpot_ms_p99: 38.1,
    itl_ms_mean: 26.17,
    itl_ms_p50: 23.01,
    itl_ms_p99: 84.66,
  });
  expect(result?.definitions).toEqual({
    ttft_ms: 'send_to_first_token',
    tpot_ms: 'without_first_token',
    itl_ms: 'per_chunk',
  });
  expect(result?.system.model).toEqual({ value: 'shisa-ai/shisa-v2-unphi4-14b', origin: 'context' });
  expect(result?.system.engine).toEqual({ value: 'vllm', origin: 'inferred' });
  expect(result?.scenario.dataset).toEqual({ value: 'sharegpt', origin: 'context' });
  // The Namespace also contains the defaults of the random data set, which do not apply here.
  expect(result?.scenario.inputTokens).toBeNull();
});

describe('load', () => {
  const load = (before: string, after = block) => read(`${before}\n${after}`)[0]?.load;
  const uncapped = block.replace(/Maximum request concurrency.*\n/, '');

  test.each([
    ['a cap below the requests is a closed loop', context, block, { mode: 'concurrency', level: 32 }],
    [
      'no cap is a burst',
      context.replaceAll('=32', '=None').replace(': 32', ': None'),
      uncapped,
      { mode: 'burst', level: 1000 },
    ],
    [
      'a cap that never binds is a burst',
      '',
      block.replace('concurrency:             32', 'concurrency:             4096'),
      { mode: 'burst', level: 1000 },
    ],
    [
      'a command with a rate is an open loop',
      '$ vllm bench serve --model x/y --request-rate 4 --num-prompts 1000',
      uncapped,
      { mode: 'rate', level: 4, burstiness: null, maxConcurrency: null },
    ],
    [
      'a command without load options is a burst',
      '$ vllm bench serve --model x/y',
      uncapped,
      { mode: 'burst', level: 1000 },
    ],
    ['a cap in the block alone is a closed loop', '', block, { mode: 'concurrency', level: 32 }],
    ['an old block alone has an unknown load', '', uncapped, null],
    [
      'a rate from a shell variable gives an unknown load',
      '$ vllm bench serve --model x/y --request-rate $RATE',
      uncapped,
      null,
    ],
  ])('%s', (_, before, after, expected) => {
    expect(load(before, after)).toEqual(expected);
  });
});

describe('model', () => {
  const model = (before: string) => read(`${before}\n${block}`)[0]?.system.model?.value ?? null;

  test.each([
    ['$ vllm bench serve --model org/name --num-prompts 5', 'org/name'],
    [
      'user@host:~/x$ python3 benchmarks/benchmark_serving.py --model=/home/me/models/Name-8B/ --backend vllm',
      'Name-8B',
    ],
    ['$ vllm bench serve \\\n  --model org/name \\\n  --backend openai', 'org/name'],
    [
      'vllm bench serve --model /cache/models--org--name/snapshots/0123456789012345678901234567890123456789',
      'org/name',
    ],
    ['vllm bench serve --model default --backend openai', null],
    ['vllm bench serve --model $MODEL --backend openai', null],
    ['WARNING: vllm bench serve no longer sets --temperature', null],
    // A new command discards the context of the previous one.
    ['$ vllm bench serve --model org/first\nerror\n$ vllm bench serve --num-prompts 5', null],
  ])('%j gives %j', (before, expected) => {
    expect(model(before)).toBe(expected);
  });

  test('does not apply to the next block', () => {
    const [first, second] = read(`${whole}\n${block.replace('84.29', '84.30')}`);
    expect(first?.system.model).not.toBeNull();
    expect(second?.system.model).toBeNull();
  });
});

test('reads lengths of the random data set if they do not vary', () => {
  const namespace = (ratio: string) =>
    `Namespace(dataset_name='random', random_input_len=200, random_output_len=256, random_range_ratio=${ratio}, random_prefix_len=16, model='a/b')\n${block}`;
  expect(read(namespace('0.0'))[0]?.scenario).toMatchObject({
    inputTokens: { value: 216 },
    outputTokens: { value: 256 },
  });
  expect(read(namespace("'0.9'"))[0]?.scenario).toMatchObject({ inputTokens: null, outputTokens: null });
});

test('reads the name of a data set from a hub', () => {
  const [result] = read(`Namespace(dataset_name='hf', dataset_path='vdaita/edit_10k_char', model='a/b')\n${block}`);
  expect(result?.scenario.dataset?.value).toBe('vdaita/edit_10k_char');
});

test('reads a truncated block up to its end, and reports the truncation', () => {
  const [result] = read(block.slice(0, block.indexOf('Median TPOT')));
  expect(result?.metrics.tpot_ms_mean).toBe(26.26);
  expect(result?.metrics.itl_ms_mean).toBeUndefined();
  expect(result?.notes).toContainEqual(expect.objectContaining({ code: 'truncated' }));
});

// https://github.com/vllm-project/vllm/pull/42497
test('skips a second banner without figures', () => {
  const { results, ignored } = readArtifact(
    new TextEncoder().encode(fixture('vllm-bench-serve/2026-06-second-empty.md')),
  );
  expect(results.map(({ metrics }) => metrics.output_tok_s)).toEqual([1330.32]);
  expect(ignored).toContain('report without figures on line 36');
});

test('skips a report that was cut before its first rate, wherever it is', () => {
  const second = readArtifact(new TextEncoder().encode(fixture('vllm-bench-serve/0.11-second-cut.md')));
  expect(second.results.map(({ metrics }) => metrics.output_tok_s)).toEqual([82.47]);
  expect(second.ignored).toContain('incomplete report on line 28');
  const cut = block.slice(0, block.indexOf('Total input'));
  for (const [text, line] of [
    [`${block}\n${cut}`, block.split('\n').length + 1],
    [`${cut}\n${block}`, 1],
  ] as const) {
    const { results, ignored } = readArtifact(new TextEncoder().encode(text));
    expect(results.map(({ metrics }) => metrics.output_tok_s)).toEqual([1090.59]);
    expect(ignored).toContain(`incomplete report on line ${line}`);
  }
});

test('does not skip a cut report next to a figure that cannot be read', () => {
  const cut = block.slice(0, block.indexOf('Total input'));
  expect(() => read(`${block}\n${block.replace('26.17', '26,1…')}\n${cut}`)).toThrow('2 errors');
});

test('treats zero latencies next to others as missing', () => {
  const [result] = read(fixture('vllm-bench-serve/0.5-old-labels.txt'));
  expect(Object.keys(result?.metrics ?? {}).filter((name) => /^(?:ttft|itl)/.test(name))).toEqual([]);
  expect(result?.metrics.tpot_ms_mean).toBe(20);
});

test('warns about fewer responses than requests if failures are not printed', () => {
  const [result] = read(
    whole.replace('Successful requests:                     1000', 'Successful requests:                     990'),
  );
  expect(result?.metrics.requests_failed).toBeUndefined();
  expect(result?.notes).toContainEqual(expect.objectContaining({ code: 'requests_unaccounted', severity: 'warning' }));
});

test.each([
  ['a run without successful requests', block.replace(/1000$/m, '0'), 'nothing was measured'],
  ['a block that ends before its first rate', block.slice(0, block.indexOf('Total input')), 'before its first rate'],
  ['a duplicate label', block.replace('Mean TPOT (ms):', 'Mean ITL (ms): '), 'given twice'],
])('rejects %s', (_, text, reason) => {
  expect(() => read(text)).toThrow(reason);
});

// Other programs print the block under the same banner with additional labels.
test.each([
  [
    'SGLang',
    block.replace('Successful requests', 'Backend:                                 sglang\nSuccessful requests'),
  ],
  ['TensorRT-LLM', block.replace('Mean TTFT', 'User throughput (tok/s):                 88.10\nMean TTFT')],
])('does not claim a block of %s', (_, text) => {
  expect(() => readArtifact(new TextEncoder().encode(text), { tool: 'vllm-bench-serve' })).toThrow(
    'not output of vllm bench serve',
  );
});

test('reads a closed loop if a full cap kept the rate from being reached', () => {
  const rate = block.replace(
    'Benchmark duration',
    'Request rate configured (RPS):           400.00\nBenchmark duration',
  );
  // 11.86 req/s x (62.26 + 26.26 x (91.928 - 1)) ms = 29.1 of 32 in flight.
  const [result] = read(rate);
  expect(result?.load).toEqual({ mode: 'concurrency', level: 32 });
  expect(result?.notes).toContainEqual(expect.objectContaining({ code: 'rate_not_reached' }));
  const [reached] = read(rate.replace('400.00', '12.00'));
  expect(reached?.load).toEqual({ mode: 'rate', level: 12, burstiness: null, maxConcurrency: 32 });
});

test.each([
  ['Burstiness factor: 0.5 (Gamma distribution)', 0.5],
  ['Burstiness factor: 1.0 (Poisson process)', 1],
  ['', null],
])('reads the arrival process from the log: %j', (line, burstiness) => {
  const rate = block.replace(
    'Benchmark duration',
    'Request rate configured (RPS):           12.00\nBenchmark duration',
  );
  expect(read(`Traffic request rate: 12.0\n${line}\n${rate}`)[0]?.load).toMatchObject({ mode: 'rate', burstiness });
});

test.each([
  ['a command', '$ vllm bench serve --model a/b --goodput ttft:500 tpot:50.5 --num-prompts 1000'],
  ['a Namespace', "Namespace(model='a/b', goodput=['ttft:500', 'tpot:50.5'], num_prompts=1000)"],
])('reads the goodput limits from %s', (_, before) => {
  const [result] = read(`${before}\n${block}`);
  expect(result?.limits).toEqual({ ttftMs: 500, itlMs: null, tpotMs: 50.5, e2eMs: null });
});

test('reads percentiles outside the registry as extra values', () => {
  const [result] = read(fixture('vllm-bench-serve/0.12-rate-percentiles.txt'));
  expect(result?.extra).toMatchObject({ ttft_ms_p999: 191.5, e2e_ms_p999: 3301, acceptance_length: 1.99 });
  expect(result?.system.features).toEqual({ speculative_decoding: true });
});

// https://github.com/vllm-project/vllm/issues/6064
test('omits TTFT and TPOT if the median TTFT is 0, although the mean is not', () => {
  const [result] = read(block.replace('62.26', '21034.12').replace('49.91', '0.00'));
  expect(Object.keys(result?.metrics ?? {}).filter((name) => /^(?:ttft|tpot)/.test(name))).toEqual([]);
  expect(result?.metrics).toMatchObject({ output_tok_s: 1090.59, itl_ms_mean: 26.17 });
  const found = result?.notes.filter(({ code }) => code === 'first_token_missing');
  expect(found?.map(({ severity, evidence }) => ({ severity, evidence }))).toEqual([
    { severity: 'warning', evidence: { ttft_ms_mean: 21034.12 } },
    { severity: 'warning', evidence: { ttft_ms_mean: 21034.12 } },
  ]);
});

// https://github.com/modular/modular/pull/6305
test('reads the load that Modular MAX prints', () => {
  const max = block
    .replace('Benchmark duration', 'Max Concurrency:                         64\nBenchmark duration')
    .replace('Request throughput', 'Input request rate (req/s):              inf\nRequest throughput');
  expect(read(max)[0]).toMatchObject({ load: { mode: 'concurrency', level: 64 } });
});

// https://github.com/vllm-project/vllm-omni/pull/2558
test('reads the text figures of vLLM-Omni in a truncated block', () => {
  const omni = `============ Serving Benchmark Result ============
Successful requests:                     1088
Maximum request concurrency:             10
Benchmark duration (s):                  549.65
----------------End-to-end Latency----------------
Mean E2EL (ms):                          4660.31
================== Text Result ===================
Total input tokens:                      29618
Output token throughput (tok/s):         35.32
Mean TTFT (ms):                          1333.74
`;
  expect(read(omni)[0]?.metrics).toMatchObject({ input_tokens: 29618, output_tok_s: 35.32, ttft_ms_mean: 1333.74 });
});

test.each([
  'vllm bench serve --model a/b --dataset-name timed_trace --self-timed --num-prompts 1000',
  "Namespace(model='a/b', dataset_name='timed_trace', self_timed=True, request_rate=inf, max_concurrency=None, num_prompts=1000)",
])('states no load for requests with the times of a trace: %s', (before) => {
  const [result] = read(`${before}\n${block}`);
  expect(result?.load).toBeNull();
  expect(result?.notes).toContainEqual(
    expect.objectContaining({ code: 'load_unknown', evidence: { self_timed: true } }),
  );
});
