import { expect, test } from 'vitest';
import { deviceKind, gpuKind, modelKind, scenarioKind } from './catalogue-facts.ts';
import { groupRows, indexCsv, toIndexRows } from './catalogue-index.ts';

test('an unknown entry keeps its name and has no facts', () => {
  const [heading, first, second] = indexCsv(modelKind, [
    { id: 'llama-2-7b', name: 'Llama 2 7B', points: 16 },
    { id: 'my-own', name: 'my-own', points: 1 },
  ]).split('\r\n');
  expect(heading).toMatch(/^id,name,points,developer,/);
  expect(first).toMatch(/^llama-2-7b,Llama 2 7B,16,Meta,/);
  expect(second).toMatch(/^my-own,my-own,1,,+$/);
});

// The list once had NVIDIA B200 SXM 180GB twice: as the device, and as its family without results.
test('omits a family of one device next to the device, and lists a family of several', () => {
  const item = (id: string, name: string, points: number) => ({ id, name, points });
  const items = [item('b200-sxm', 'B200 SXM', 3), item('b200', 'B200 SXM', 0), item('h100', 'H100', 0)];
  expect(toIndexRows(gpuKind, items).map(({ id }) => id)).toEqual(['b200-sxm', 'h100']);
});

test('a measured scenario has its lengths and a title, without an entry in the catalogue', () => {
  const lengths = { input_tokens: 2000, output_tokens: 100, dataset: 'random', depth: null };
  const [row] = toIndexRows(
    scenarioKind,
    [{ id: '2000-100', name: '2000-100', points: 30 }],
    [{ shape: '2000-100', kind: 'serving', ...lengths }],
  );
  expect(row?.name).toBe('2,000 → 100 tokens');
  expect(row?.facts.map((fact) => fact?.text ?? null)).toEqual([
    'Prompts of 2,000 tokens, answers of 100.',
    '2,000 tokens',
    '100 tokens',
    'random',
    null,
  ]);
});

test('the points of a GPU family are the sum of its variants and of results without a variant', () => {
  const item = (id: string, points: number) => ({ id, name: id, points });
  const rows = toIndexRows(gpuKind, [item('h200-sxm', 287), item('h200-nvl', 21), item('h200', 66)]);
  const family = rows.find(({ id }) => id === 'h200');
  expect([family?.points, family?.note]).toEqual([374, 'all variants; 66 of them without a stated variant']);
  expect(rows.find(({ id }) => id === 'h200-nvl')?.note).toBeNull();
});

test('labels a CPU and a mixed system', () => {
  expect(deviceKind('xeon-6787p')?.note).toBe('CPU');
  expect(deviceKind('mi300x-mi325x')?.note).toBe('mixed system');
  expect(deviceKind('mi325x')).toBeNull();
});

test('scenarios are grouped by what they measure, and kernels are left to their own page', () => {
  const item = (id: string) => ({ id, name: id, points: 1 });
  const workload = (shape: string, facts: object) => ({
    ...{ shape, kind: 'serving', input_tokens: null, output_tokens: null, dataset: null, depth: null },
    ...facts,
  });
  const rows = toIndexRows(
    scenarioKind,
    ['chatbot', 'base', 'mlperf-llama2-70b', 'pp512', 'tg1024', 'sharegpt', 'own-mix', 'alibi-mod'].map(item),
    [
      workload('pp512', { input_tokens: 512, output_tokens: 0 }),
      workload('tg1024', { input_tokens: 0, output_tokens: 1024 }),
      workload('sharegpt', { dataset: 'sharegpt' }),
      workload('own-mix', { dataset: 'Prompts of our users' }),
      workload('alibi-mod', { kind: 'kernel' }),
    ],
  );
  expect(groupRows(rows).map(({ title, rows }) => [title, rows.map(({ id }) => id)])).toEqual([
    ['Prompts and answers of a given length', ['chatbot']],
    ['Prefill and decode tests', ['pp512', 'tg1024']],
    ['Static batches', ['base']],
    ['Data sets', ['own-mix', 'sharegpt']],
    ['MLPerf Inference', ['mlperf-llama2-70b']],
  ]);
  const dataset = scenarioKind.columns.findIndex(({ key }) => key === 'dataset');
  expect(rows.find(({ id }) => id === 'mlperf-llama2-70b')?.facts[dataset]).toBeNull();
  expect(groupRows(toIndexRows(gpuKind, [item('h100-sxm')])).map(({ title }) => title)).toEqual([null]);
});
