import { expect, test } from 'vitest';
import type { Api } from '../lib/api.ts';
import { readExplorer } from './read.ts';
import { readState } from './state.ts';

const models = { 'gpt-oss-120b': 'gpt-oss-120b', 'deepseek-r1': 'DeepSeek R1' };
const system = (id: string, model: keyof typeof models) => ({
  ...{ id, gpu_count: 1, gpu_power_limit_w: null },
  gpu: { title: id, name: id, id },
  model: { title: models[model], name: model, id: model },
  quantization: { id: 'fp8', name: 'fp8', recipe: [], title: 'FP8' },
  engine: { id: 'vllm', name: 'vllm', title: 'vLLM', version: null },
});
// DeepSeek R1 has the most systems; gpt-oss-120b is faster.
const systems = [system('h100', 'deepseek-r1'), system('h200', 'deepseek-r1'), system('b200', 'gpt-oss-120b')];
const points = systems.map((of, at) => ({
  ...{ x: 100 + at, y: 100 + at, system: of, load: { mode: 'concurrency', level: 1 }, sources: [] },
}));

/** An API with these points. It records its questions about points. */
function apiOf(asked: Record<string, string[]>[]): Api {
  const workload = { id: '1k-1k-steady', others: [{ id: '8k-1k-steady' }] };
  const side = { definition: null, unit: 'tok/s', better: 'higher' };
  const answer = (query: Record<string, string[]>) => ({
    data: {
      ...{ x: { ...side, metric: 'user_tok_s' }, y: { ...side, metric: 'output_tok_s_per_gpu' }, workload },
      data: points.filter((point) => query.model === undefined || query.model.includes(point.system.model.id)),
      excluded: {},
    },
    problem: null,
  });
  return {
    getPareto: async (query: Record<string, string[]>) => {
      asked.push(query);
      return answer(query);
    },
    getParetoSystems: async (query: Record<string, string[]>) => answer(query),
  } as unknown as Api; // The explorer asks nothing else.
}

const view = async (query: string, asked: Record<string, string[]>[] = []) =>
  (await readExplorer(apiOf(asked), readState(new URLSearchParams(query)), { withModels: true })).view;

test('draws GPUs on the model with the most systems of the workload', async () => {
  const asked: Record<string, string[]>[] = [];
  const found = await view('', asked);
  expect(asked).toMatchObject([{ workload: ['1k-1k-steady'], model: ['deepseek-r1'], frontier_of: ['gpu'] }]);
  expect(found).toMatchObject({
    title: 'DeepSeek R1: output throughput per GPU over per-user speed, 1K→1K, steady',
    chosenModel: 'deepseek-r1',
    models: [
      { id: 'deepseek-r1', systems: 2 },
      { id: 'gpt-oss-120b', systems: 1 },
    ],
    href: '/explore',
  });
  expect(found?.drawing?.curves.map(({ name }) => name)).toEqual(['h200', 'h100']);
});

test('names what the curves of all models are', async () => {
  const found = await view('model=all');
  expect(found?.title).toBe('Output throughput per GPU over per-user speed, 1K→1K, steady, best model of each GPU');
  expect(found).toMatchObject({ chosenModel: null, href: '/explore?model=all' });
  expect(found?.drawing?.curves).toHaveLength(3);
});

test.each(['by=model', 'x=score:gsm8k', 'system=h100&system=b200', 'model_family=gpt-oss'])(
  'chooses no model for %s',
  async (query) => expect((await view(query))?.chosenModel).toBeNull(),
);

test('offers the other models beside a selected one', async () => {
  const found = await view('model=gpt-oss-120b');
  expect(found?.title).toMatch(/^gpt-oss-120b: /);
  expect(found).toMatchObject({ chosenModel: null, models: [{ id: 'deepseek-r1' }, { id: 'gpt-oss-120b' }] });
});
