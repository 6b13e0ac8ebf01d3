import { expect, test } from 'vitest';
import type { System } from '../../../lib/api.ts';
import { toLineages } from './history-lineages.ts';
import { versionAxis } from './history-view.ts';

test('an axis of dates is not called an axis of versions', () => {
  const days = versionAxis('SGLang', ['as of 2026-04-17', 'as of 2026-05-20']);
  expect([days.title, days.text('as of 2026-04-17')]).toEqual([
    'Date of the run, SGLang version not stated',
    '2026-04-17',
  ]);
  const mixed = versionAxis('SGLang', ['as of 2026-04-17', '0.5.12']);
  expect([mixed.title, mixed.text('as of 2026-04-17'), mixed.text('0.5.12')]).toEqual([
    'Version of SGLang, or date of the run',
    'as of 2026-04-17',
    '0.5.12',
  ]);
  expect(versionAxis('vLLM', ['0.11.0', null]).title).toBe('Version of vLLM');
});

test('configurations of the same names have the facts that distinguish them', () => {
  const system = (id: string, tensor: number) =>
    ({
      id,
      model: { id: 'deepseek-r1', name: 'dsr1', title: 'DeepSeek R1' },
      quantization: { id: 'fp8', name: 'fp8', recipe: [], title: 'FP8' },
      gpu: { id: 'h200-sxm', name: 'h200', family: 'h200', title: 'H200 SXM' },
      engine: { id: 'vllm', name: 'vllm', version: '0.11', title: 'vLLM 0.11' },
      ...{ gpu_count: 8, gpu_power_limit_w: null, features: {} },
      parallelism: { tensor, data: null, expert: null, pipeline: null },
    }) as unknown as System; // only the facts of a name
  expect(toLineages([system('a', 4), system('b', 8)]).map(({ hardware }) => hardware)).toEqual([
    '8x H200 SXM · tensor parallelism 4',
    '8x H200 SXM · tensor parallelism 8',
  ]);
});
