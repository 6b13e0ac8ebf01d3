import { expect, test } from 'vitest';
import type { UsedItems } from '../../../lib/api.ts';
import { type ListedSystem, toPicker } from './compare-picker.ts';
import { readCompareQuery } from './compare-query.ts';

const system = {
  ...{ id: 'sys_a', label: 'DeepSeek R1', gpu_count: 8, gpu_power_limit_w: null, point_count: 3, features: {} },
  model: { id: 'deepseek-r1', name: 'deepseek-r1', family: 'deepseek', title: 'DeepSeek R1' },
  quantization: { id: 'fp8', name: 'fp8', recipe: [], title: 'FP8' },
  gpu: { id: 'h200-sxm', name: 'h200-sxm', family: 'h200', title: 'H200 SXM 141GB' },
  engine: { id: 'sglang', name: 'sglang', version: null, title: 'SGLang' },
  parallelism: { data: null, expert: null, tensor: null, pipeline: null },
  ...{ links: { self: '', page: '' }, sources: [] },
} as unknown as ListedSystem; // The picker reads only these fields.
const used = {
  models: [
    { kind: 'models', id: 'gpt-oss-120b', name: 'gpt-oss-120b', points: 40 },
    { kind: 'models', id: 'deepseek-r1', name: 'DeepSeek R1', points: 300 },
    { kind: 'models', id: 'gpt-4', name: 'GPT-4', points: 0 },
    { kind: 'models', id: 'unspecified', name: 'unspecified', points: 50 },
  ],
} as unknown as UsedItems;
const pick = (search: string, hasMore: boolean) =>
  toPicker([system], hasMore, readCompareQuery(new URLSearchParams(search)), [system], used);

test('offers models instead of the first of many systems, and keeps the selected systems', () => {
  const { groups, models, chosen, found } = pick('ids=sys_a&choose=true', true);
  expect([groups, found]).toEqual([[], 'Select a model to list its systems, or search.']);
  expect(models).toEqual([
    { title: 'DeepSeek R1', points: '300 points', href: '/compare?ids=sys_a&choose=true&model=deepseek-r1#choose' },
    { title: 'gpt-oss-120b', points: '40 points', href: '/compare?ids=sys_a&choose=true&model=gpt-oss-120b#choose' },
  ]);
  expect(chosen).toMatchObject([{ id: 'sys_a' }]);
});

test.each([
  ['', false, '1 system'],
  ['model=deepseek-r1', true, 'The first 1 systems, by name. Search or filter to find others.'],
  ['q=deepseek', true, 'The first 1 systems for “deepseek”, by name. Search or filter to find others.'],
])('lists the systems of "%s"', (search, hasMore, found) => {
  expect(pick(search, hasMore)).toMatchObject({ models: [], groups: [{ systems: [{ id: 'sys_a' }] }], found });
});

test('sorts numbers of GPUs by value', () => {
  const systems = ['16x H200', '4x H200', '8x H200'].map((label) => ({ ...system, id: label, label }));
  const { groups } = toPicker(systems, false, readCompareQuery(new URLSearchParams('q=h200')), [], used);
  expect(groups.flatMap((group) => group.systems.map(({ id }) => id))).toEqual(['4x H200', '8x H200', '16x H200']);
});
