import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readArtifact } from '../index.ts';

const textOf = (name: string) =>
  readFileSync(new URL(`../../../fixtures/ipex-llm-all-in-one/${name}`, import.meta.url), 'utf8');
const read = (text: string) => readArtifact(new TextEncoder().encode(text));
const faults = (text: string, code: string, line: number) =>
  expect(() => read(text)).toThrow(expect.objectContaining({ faults: [expect.objectContaining({ code, line })] }));

// The figures of https://github.com/intel/ipex-llm/issues/10599, below the header of that version
const lengths = textOf('2024-03-two-lengths.csv');

test('reads a row for each length', () => {
  const { tool, results, ignored } = read(lengths);
  expect(tool).toEqual({ name: "ipex-llm's all-in-one benchmark", version: null });
  expect(results).toHaveLength(2);
  expect(results[0]).toMatchObject({
    system: {
      model: { value: 'meta-llama/Llama-2-13b-chat-hf', origin: 'stated' },
      quantization: { value: 'sym_int4', origin: 'inferred' },
      engine: { value: 'ipex-llm', origin: 'inferred' },
    },
    scenario: { inputTokens: { value: 1024 }, lengths: { inputTokens: 1025, outputTokens: 324 } },
    load: { mode: 'batch', level: 1 },
    metrics: { ttft_ms_mean: 820, tpot_ms_mean: 46.15 },
    definitions: { ttft_ms: 'prefill_only', tpot_ms: 'without_first_token' },
    lines: { from: 2, to: 2 },
  });
  expect(results[1]?.metrics).toEqual({ ttft_ms_mean: 1596.1, tpot_ms_mean: 28.57 });
  expect(ignored).toContain('peak mem (GB)');
});

// https://github.com/intel/ipex-llm/issues/11664
test('reads the table of an NPU', () => {
  expect(read(textOf('2024-07-npu.csv')).results[0]).toMatchObject({
    system: { model: { value: 'Qwen/Qwen2-7B' }, features: {} },
    metrics: { ttft_ms_mean: 617.64, tpot_ms_mean: 340.45 },
  });
});

test('reads the batch, and beams as a setting', () => {
  const { results } = read(textOf('2025-batch-and-beams.csv'));
  expect(results.map(({ load }) => load)).toEqual([
    { mode: 'batch', level: 4 },
    { mode: 'batch', level: 1 },
  ]);
  expect(results[1]?.system.features).toEqual({ num_beams: 4, cpu_embedding: true });
});

test('states no load without a column for the batch', () => {
  const older = lengths.replace('batch_size,', '').replaceAll(/-512,1,(?=\d)/g, '-512,');
  expect(read(older).results).toMatchObject([
    { load: null, notes: [{ code: 'load_unknown' }] },
    { load: null, notes: [{ code: 'load_unknown' }] },
  ]);
});

test('rejects times of an earlier run, damaged rows and an empty table', () => {
  faults(textOf('2025-two-tokens.refused.csv'), 'nothing_measured', 2);
  faults(lengths.replace(',46.15', ''), 'row_unreadable', 2);
  faults(lengths.replace('820.0', 'slow'), 'cell_unreadable', 2);
  faults(lengths.slice(0, lengths.indexOf('\n') + 1), 'table_empty', 1);
});

test('rejects a row that ends early', () => {
  faults(lengths.slice(0, lengths.indexOf('2049-512')), 'row_unreadable', 3);
});

test.each([
  'model,1st token avg latency (ms)\nexample,5\n',
  ',model,2+ avg latency (ms/token),1st token avg latency (ms)\n0,example,5,6\n',
])('does not claim %j', (text) => {
  expect(() => read(text)).toThrow(expect.objectContaining({ code: 'tool_unrecognised' }));
});
