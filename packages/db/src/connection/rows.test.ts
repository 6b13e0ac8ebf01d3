import type { Load } from '@inferboard/core/subjects/load';
import { loadKey } from '@inferboard/core/subjects/load';
import type { CheckedResult } from '@inferboard/core/subjects/result';
import { describe, expect, test } from 'vitest';
import { type Row, systemRowOf, toResultRow, toScenarioRow, toSystemRow } from './rows.ts';

const result: CheckedResult = {
  lengths: null,
  kind: 'serving',
  tool: { name: 'native', version: '1' },
  system: {
    model: { id: 'llama-3.1-8b', family: 'llama-3.1', name: 'meta-llama/Llama-3.1-8B' },
    quantization: { id: 'w8a8-int8', name: 'w8a8_smooth_gptq', recipe: ['smooth', 'gptq'] },
    gpu: { id: null, family: null, name: '  Frobnicator   9000' },
    gpuCount: 2,
    gpuPowerLimitW: 450,
    engine: { id: 'vllm', name: 'vLLM', version: '0.11.0' },
    parallelism: { tensor: 2, pipeline: null, data: null, expert: null },
    features: { prefix_caching: true },
  },
  scenario: { id: 'chatbot', inputTokens: 1024, outputTokens: 256, dataset: null, depth: null, kernel: null },
  load: { mode: 'concurrency', level: 8 },
  repetition: 1,
  metrics: { tpot_ms_mean: 20, requests_failed: 0 },
  definitions: { tpot_ms: 'without_first_token', itl_ms: 'from_tpot' },
  repeats: null,
  records: null,
  limits: null,
  extra: { run_name: 'x' },
  measuredAt: '2026-01-01T00:00:00Z',
  lines: { from: 3, to: 7 },
  derived: { itl_ms_mean: 20 },
  passed: ['A4'],
  trust: 'self_reported',
  findings: [
    { code: 'a', severity: 'unchecked', message: 'A', evidence: { check: 'A2', missing: ['duration_s'] } },
    { code: 'b', severity: 'warning', message: 'B', evidence: { n: 1 } },
    { code: 'c', severity: 'info', message: 'C', evidence: {} },
  ],
  status: 'accepted',
};
const place = { copyOf: null, copyReason: null, submissionId: 'sub_1', accountId: 'acc_1', ordinal: 4, pointId: 9 };

describe('a system', () => {
  test('has an id of its facts, regardless of their spelling', () => {
    const { id } = toSystemRow(result.system);
    expect(id).toMatch(/^sys_[0-9a-f]{24}$/);
    expect(toSystemRow({ ...result.system, engine: { ...result.system.engine, name: 'vllm-openai' } }).id).toBe(id);
    expect(toSystemRow({ ...result.system, gpuCount: 4 }).id).not.toBe(id);
  });

  test('keeps names as written, and keys for comparison', () => {
    expect(toSystemRow(result.system)).toMatchObject({
      model_name: 'meta-llama/Llama-3.1-8B',
      model_key: 'meta-llama/llama-3.1-8b',
      gpu_id: null,
      gpu_name: '  Frobnicator   9000',
      gpu_key: 'frobnicator 9000',
      quantization_recipe: ['smooth', 'gptq'],
      gpu_count: 2,
      gpu_power_limit_w: 450,
      engine_version: '0.11.0',
    });
  });

  test('has the same fields before and after it is stored', () => {
    expect(systemRowOf(result.system)).toMatchObject({ ...toSystemRow(result.system), created_at: '' });
  });
});

test('a scenario has null for a missing count, and keeps 0', () => {
  expect(toScenarioRow({ ...result.scenario, inputTokens: 0, outputTokens: null })).toMatchObject({
    name: 'chatbot',
    input_tokens: 0,
    output_tokens: null,
  });
});

describe('two loads', () => {
  const load: Load = { mode: 'rate', level: 8 };

  test('are the same if a missing detail is written as null', () => {
    expect(loadKey({ ...load, burstiness: null, maxConcurrency: null })).toBe(loadKey(load));
  });

  test('are different if anything differs', () => {
    const loads: Load[] = [
      load,
      { ...load, mode: 'burst' },
      { ...load, level: 8.5 },
      { ...load, burstiness: 1 },
      { ...load, maxConcurrency: 1 },
    ];
    expect(new Set(loads.map(loadKey)).size).toBe(loads.length);
  });
});

describe('a result', () => {
  const row: Row & { findings: unknown[] } = toResultRow(result, place);

  test('has measured and derived values, and lists the derived ones', () => {
    expect(row).toMatchObject({
      submission_id: 'sub_1',
      ordinal: 4,
      point_id: 9,
      tpot_ms_mean: 20,
      requests_failed: 0,
      itl_ms_mean: 20,
      derived: ['itl_ms_mean'],
      definitions: { itl_ms: 'from_tpot', tpot_ms: 'without_first_token' },
      line_from: 3,
      line_to: 7,
      measured_at: '2026-01-01T00:00:00Z',
    });
    expect(row.id).toMatch(/^res_[0-9a-f]{32}$/);
  });

  test('omits a missing value, and never stores 0 for it', () => {
    expect(row).not.toHaveProperty('ttft_ms_mean');
  });

  test('never overwrites a measured value with a derived one', () => {
    const both = { ...result, derived: { tpot_ms_mean: 99 } };
    expect(toResultRow(both, place)).toHaveProperty('tpot_ms_mean', 20);
  });

  test('keeps findings and unchecked checks separate', () => {
    expect(row.findings).toEqual([
      { code: 'b', severity: 'warning', message: 'B', evidence: { n: 1 } },
      { code: 'c', severity: 'info', message: 'C', evidence: {} },
    ]);
    expect(row.unchecked).toEqual([['A2', ['duration_s']]]);
  });

  test('has a unique id, in order of time', () => {
    const ids = Array.from({ length: 1000 }, () => toResultRow(result, place).id);
    expect(new Set(ids).size).toBe(1000);
    expect(ids).toEqual(ids.toSorted());
  });
});
