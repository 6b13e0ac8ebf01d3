import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readArtifact } from '../index.ts';

const fixture = (name: string) =>
  readFileSync(new URL(`../../../fixtures/llama-bench/${name}`, import.meta.url), 'utf8');
const read = (text: string) => readArtifact(new TextEncoder().encode(text)).results;

/** One record with every key that identifies the tool. */
const record = {
  build_commit: '0a1b2c3d',
  build_number: 5163,
  gpu_info: 'NVIDIA GeForce RTX 4090',
  backends: 'CUDA',
  model_filename: '/home/someone/Example-8B-Q4_K_M.gguf',
  model_type: 'example 8B Q4_K - Medium',
  n_prompt: 0,
  n_gen: 128,
  avg_ts: 128,
  stddev_ts: 1.5,
};
const one = (changes: object) => read(JSON.stringify({ ...record, ...changes }))[0];

test.each(['b5163-array.json', 'b5163-cells.csv', 'b5163-inserts.sql'])(
  'reads metrics, system and time of %s',
  (name) => {
    const [prefill, decode] = read(fixture(name));
    expect(prefill?.metrics).toEqual({ prefill_tok_s: 10000.025431 });
    expect(prefill?.repeats?.sd).toEqual({ prefill_tok_s: 19.531337 });
    expect(decode?.metrics).toEqual({ decode_tok_s: 128.008534, user_tok_s: 128.008534 });
    expect(decode?.definitions).toEqual({ decode_tok_s: 'in_process', user_tok_s: 'in_process' });
    expect(decode?.system).toMatchObject({
      model: { value: 'Example-8B-Instruct-Q4_K_M.gguf' },
      quantization: { value: 'Q4_K - Medium' },
      gpu: { value: 'NVIDIA GeForce RTX 4090' },
      gpuCount: { value: 1 },
      engineVersion: { value: 'b5163' },
      features: {},
    });
    expect(decode?.extra).toMatchObject({ n_gpu_layers: 99, mmap: 1, threads: 8, file_bytes: 4920734720 });
    expect(decode?.measuredAt).toBe('2025-04-24T11:58:51Z');
  },
);

test('reads the number of repetitions from JSON only', () => {
  expect(read(fixture('b5163-array.json'))[0]?.repeats).toMatchObject({
    n: 3,
    samples: { prefill_tok_s: [10000, 9980.51, 10019.6] },
  });
  expect(read(fixture('b5163-cells.csv'))[0]?.repeats).toMatchObject({ n: null, samples: null });
  // A spread of 0 over one repetition is not a standard deviation.
  expect(one({ samples_ts: [128], stddev_ts: 0 })?.repeats).toMatchObject({ n: 1, sd: {} });
});

test('reads depths, changed settings and combined tests from records between device lines', () => {
  const results = read(fixture('b9900-depth-in-log.jsonl'));
  expect(results.map(({ scenario }) => [scenario.name?.value, scenario.depth])).toEqual([
    ['pp512', null],
    ['pp512@d8192', 8192],
    ['pp512+tg128@d8192', 8192],
  ]);
  expect(results.map(({ system }) => system.features)).toEqual([
    { n_ubatch: 256, flash_attention: true },
    { n_ubatch: 256, flash_attention: true },
    { n_ubatch: 256, flash_attention: 'auto' },
  ]);
  expect(results[2]?.metrics).toEqual({ total_tok_s: 500 });
});

describe('GPUs', () => {
  const two = 'NVIDIA GeForce RTX 4090, NVIDIA GeForce RTX 4090';
  test.each([
    ['two of a kind', { gpu_info: two }, 2],
    ['devices chosen automatically', { gpu_info: two, devices: 'auto', tensor_split: '0.00/0.00' }, 2],
    ['one selected device', { gpu_info: two, split_mode: 'none' }, 1],
    ['a selected split', { gpu_info: two, tensor_split: '1.00/0.00' }, 1],
    ['selected devices', { gpu_info: two, devices: 'CUDA0' }, 1],
    ['three that share the model', { gpu_info: `${two}, NVIDIA GeForce RTX 4090`, tensor_split: '1.00/1.00/1.00' }, 3],
  ])('%s', (_, changes, count) => {
    const result = one(changes);
    expect(result?.system.gpu?.value).toBe('NVIDIA GeForce RTX 4090');
    expect(result?.system.gpuCount?.value).toBe(count);
  });

  // Addresses of other hosts are private.
  test.each([
    ['two kinds', { gpu_info: 'NVIDIA A, NVIDIA B' }],
    ['none', { gpu_info: '', backends: 'CPU' }],
    ['remote', { gpu_info: '10.1.2.3:50052', backends: 'CUDA,RPC' }],
  ])('%s', (_, changes) => {
    const result = one(changes);
    expect(result?.system).toMatchObject({ gpu: null, gpuCount: null });
    expect(JSON.stringify(result)).not.toContain('10.1.2.3');
  });
});

test.each([
  [true, true],
  [1, true],
  [-1, 'auto'],
  [false, undefined],
  [0, undefined],
])('reads flash_attn %j as %j', (value, expected) => {
  expect(one({ flash_attn: value })?.system.features.flash_attention).toBe(expected);
});

test('reads layers on the CPU as offload, and omits folders', () => {
  const result = one({ n_gpu_layers: 0 });
  expect(result?.system.features).toEqual({ n_gpu_layers: 0, offload: true });
  expect(JSON.stringify(result)).not.toContain('someone');
});

test('lists unknown fields as ignored', () => {
  const { ignored } = readArtifact(new TextEncoder().encode(JSON.stringify({ ...record, future_field: 1 })));
  expect(ignored).toEqual(['future_field']);
});

test.each([
  ['text instead of a number', { avg_ts: 'fast' }, '/avg_ts'],
  ['a speed of 0', { avg_ts: 0 }, '/avg_ts'],
  ['a fractional number of tokens', { n_gen: 0.5 }, '/n_gen'],
])('rejects %s with line and field', (_, changes, pointer) => {
  const text = `${JSON.stringify(record)}\n${JSON.stringify({ ...record, ...changes })}`;
  expect(() => read(text)).toThrow(
    expect.objectContaining({ code: 'artifact_unreadable', faults: [expect.objectContaining({ line: 2, pointer })] }),
  );
});

test.each([
  ['truncated CSV', fixture('b5163-cells.csv').slice(0, -20), 3],
  ['truncated SQL', fixture('b5163-inserts.sql').slice(0, -20), 38],
  ['truncated JSON lines', fixture('b9900-depth-in-log.jsonl').slice(0, -20), 6],
])('rejects %s with its line', (_, text, line) => {
  expect(() => read(text)).toThrow(
    expect.objectContaining({ faults: expect.arrayContaining([expect.objectContaining({ line })]) }),
  );
});

// A report with single requests has keys of the same names.
test.each([
  ['renamed columns', { ...record, avg_ts: undefined, avg_prompt_ts: 1, avg_gen_ts: 2 }],
  ['LocalScore', { runtime_info: {}, system_info: {}, accelerator_info: {}, results: [record], results_summary: {} }],
])('does not claim %s', (_, value) => {
  expect(() => readArtifact(new TextEncoder().encode(JSON.stringify(value)), { tool: 'llama-bench' })).toThrow(
    expect.objectContaining({ code: 'tool_unrecognised' }),
  );
});

// No value shifts the values after it.
test('reads any values from CSV and SQL', () => {
  const word = fc.stringMatching(/^[\w .+@/-]{1,30}$/).filter((text) => text.trim() === text);
  fc.assert(
    fc.property(word, fc.boolean(), (text, isSql) => {
      const cpu = isSql ? `it's ${text}` : `"" ${text}, 8 cores`;
      const names = ['build_commit', 'cpu_info', 'model_type', 'n_prompt', 'n_gen', 'avg_ts'];
      const values = ['0a1b2c3d', cpu, 'example 8B Q8_0', '512', '0', '123.5'];
      const written = isSql
        ? `INSERT INTO test (${names.join(', ')}) VALUES (${values.map((value) => `'${value}'`).join(', ')});`
        : `${names.join(',')}\n${values.map((value) => `"${value}"`).join(',')}`;
      const [result] = read(written);
      expect(result?.metrics).toEqual({ prefill_tok_s: 123.5 });
      expect(result?.extra.cpu_info).toBe(cpu.replaceAll('""', '"'));
    }),
    { numRuns: 100 },
  );
});

describe('an array without an end, from an interrupted run', () => {
  const other = { ...record, n_gen: 64, avg_ts: 130 };
  const whole = JSON.stringify([record, other], null, 2);

  test('keeps the completed tests and notes the truncation', () => {
    const results = read(whole.slice(0, whole.lastIndexOf(']')));
    expect(results.map(({ metrics }) => metrics.decode_tok_s)).toEqual([128, 130]);
    expect(results.map(({ notes }) => notes.map(({ code }) => code))).toEqual([[], ['truncated']]);
    // Truncated within the second test.
    expect(read(whole.slice(0, whole.lastIndexOf('"avg_ts"') + 4))).toHaveLength(1);
  });

  test('is read as complete tests or rejected, wherever it is cut', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: whole.length - 1 }), (end) => {
        const text = whole.slice(0, end);
        const done = (text.match(/^ {2}}/gm) ?? []).length;
        if (done === 0) expect(() => read(text)).toThrow();
        else expect(read(text).map(({ metrics }) => metrics.decode_tok_s)).toEqual([128, 130].slice(0, done));
      }),
    );
  });

  test('is rejected if other text follows or an item is not a test', () => {
    const broken = expect.objectContaining({ code: 'json_broken' });
    const isRefused = expect.objectContaining({ faults: expect.arrayContaining([broken]) });
    expect(() => read(whole.replace('"n_gen": 64', '"n_gen": '))).toThrow(isRefused);
    expect(() => read(`${whole.slice(0, whole.lastIndexOf(']'))},\n{"a": 1}\n`)).toThrow(isRefused);
  });

  test('is rejected for tools that write a file at the end of a run', () => {
    const text = '[{"hw": "h200", "conc": 4, "framework": "vllm", "precision": "fp8", "tput_per_gpu": 5, "tp": 1},';
    expect(() => read(text)).toThrow(expect.objectContaining({ code: 'tool_unrecognised' }));
  });
});
