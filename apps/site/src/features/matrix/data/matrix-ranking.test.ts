import { describe, expect, test } from 'vitest';
import type { System } from '../../../lib/api.ts';
import { kinOf } from '../../catalogue/data/catalogue-speedups.ts';
import { overviewOf, pointKey, speedupText } from './ranking-overview.ts';
import { namedModelsFirst } from './ranking-shown.ts';

const systemOf = (id: string, quantization: string, features: System['features'] = {}): System => ({
  id,
  label: id,
  model: { id: 'llama-3.1-8b', name: 'Llama 3.1 8B', family: null, title: 'Llama 3.1 8B' },
  quantization: { id: quantization, name: quantization, recipe: [], title: quantization },
  gpu: { id: 'h100-sxm', name: 'H100', family: null, title: 'H100' },
  ...{ gpu_count: 1, gpu_power_limit_w: null },
  engine: { id: 'vllm', name: 'vllm', version: '0.11.0', title: 'vLLM 0.11.0' },
  parallelism: { tensor: 1, pipeline: null, data: null, expert: null },
  features,
  links: { self: '', page: '' },
});

const base = systemOf('base', 'bf16');
const fp8 = systemOf('fp8', 'fp8', { backend: 'cuda' });

describe('the variants of a baseline', () => {
  test('are in another quantization', () => {
    expect(kinOf([base, systemOf('again', 'bf16', { backend: 'vulkan' }), fp8])).toEqual([
      { baseline: base, others: [fp8] },
    ]);
    expect(kinOf([base, systemOf('again', 'bf16', { backend: 'vulkan' })])).toEqual([]);
  });

  test('have the settings of their baseline, or do not state them', () => {
    const [vulkan, rocm] = [{ build: 'vulkan' }, { build: 'rocm' }];
    const [slow, fast] = [systemOf('slow', 'bf16', vulkan), systemOf('fast', 'bf16', rocm)];
    const batched = systemOf('batched', 'fp8', { ...rocm, n_ubatch: 2048 });
    const alike = systemOf('alike', 'fp8', vulkan);
    const other = systemOf('other', 'fp8', { build: 'metal' });
    expect(kinOf([slow, fast, batched, alike, other])).toEqual([
      { baseline: fast, others: [batched] },
      { baseline: slow, others: [alike] },
    ]);
  });

  test('of a selected baseline include the unquantized system', () => {
    expect(kinOf([base, fp8], 'fp8')).toEqual([{ baseline: fp8, others: [base] }]);
  });
});

describe('the overview', () => {
  const columns = ['tg128', 'tg512', 'tg1024'].map((scenario) => ({ scenario, level: 1 }));
  const speedup = speedupText(1.5, null);

  test('names the baseline only where it was measured', () => {
    const points = new Set([pointKey('tg128', 1, 'base'), pointKey('tg1024', 8, 'base')]);
    // The baseline of a speedup was measured, even if it is not on the board.
    const speedups = new Map([[pointKey('tg512', 1, 'fp8'), speedup]]);
    const rows = overviewOf([{ baseline: base, others: [fp8] }], columns, points, speedups);
    expect(rows.map(({ cells }) => cells)).toEqual([
      ['baseline', 'baseline', null],
      [null, speedup, null],
    ]);
  });

  test('distinguishes systems with the same names', () => {
    const other = systemOf('other', 'fp8', { backend: 'vulkan' });
    const rows = overviewOf([{ baseline: base, others: [fp8, other] }], columns, new Set(), new Map());
    expect(rows.map(({ detail }) => detail)).toEqual([null, 'backend cuda', 'backend vulkan']);
  });
});

test('lists systems with a named model first, in their order', () => {
  const unnamed = { ...base, id: 'unnamed', model: { ...base.model, id: null, name: 'unspecified' } };
  const first = namedModelsFirst([[unnamed], [fp8, unnamed], [base]], (systems) => systems);
  expect(first.map((systems) => systems.map(({ id }) => id))).toEqual([['fp8', 'unnamed'], ['base'], ['unnamed']]);
});
