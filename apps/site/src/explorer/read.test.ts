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
// DeepSeek R1 has the most GPUs; gpt-oss-120b is faster.
const systems = [system('h100', 'deepseek-r1'), system('h200', 'deepseek-r1'), system('b200', 'gpt-oss-120b')];
const points = systems.map((of, at) => ({
  ...{ x: 100 + at, y: 100 + at, system: of, load: { mode: 'concurrency', level: 1 }, sources: [] },
}));

const workloads = ['1k-1k-steady', '8k-1k-steady'];

/** An API with these points in each workload. It records its questions about points. */
function apiOf(asked: Record<string, string[]>[], pointsIn: (workload: string) => typeof points): Api {
  const side = { definition: null, unit: 'tok/s', better: 'higher' };
  const answer = (query: Record<string, string[]>) => {
    const [id = ''] = query.workload ?? workloads;
    const workload = { id, others: workloads.filter((other) => other !== id).map((other) => ({ id: other })) };
    return {
      data: {
        ...{ x: { ...side, metric: 'user_tok_s' }, y: { ...side, metric: 'output_tok_s_per_gpu' }, workload },
        data: pointsIn(id).filter((point) => query.model === undefined || query.model.includes(point.system.model.id)),
        excluded: {},
      },
      problem: null,
    };
  };
  return {
    getPareto: async (query: Record<string, string[]>) => {
      asked.push(query);
      return answer(query);
    },
    getParetoSystems: async (query: Record<string, string[]>) => answer(query),
  } as unknown as Api; // The explorer asks nothing else.
}

const view = async (query: string, asked: Record<string, string[]>[] = [], pointsIn = (_: string) => points) =>
  (await readExplorer(apiOf(asked, pointsIn), readState(new URLSearchParams(query)), { withModels: true })).view;

test('draws GPUs on the model with the most GPUs of the workload', async () => {
  const asked: Record<string, string[]>[] = [];
  const found = await view('', asked);
  expect(asked).toMatchObject([{ workload: ['1k-1k-steady'], model: ['deepseek-r1'], frontier_of: ['gpu'] }]);
  expect(found).toMatchObject({
    title: 'DeepSeek R1: output throughput per GPU over per-user speed, 1K→1K, steady',
    chosenModel: 'deepseek-r1',
    models: [
      { id: 'deepseek-r1', systems: 2, groups: 2 },
      { id: 'gpt-oss-120b', systems: 1, groups: 1 },
    ],
    href: '/explore',
  });
  expect(found?.drawing?.curves.map(({ name }) => name)).toEqual(['h200', 'h100']);
});

test('draws the workload with the model of the most GPUs, unless the query names a workload', async () => {
  // Two systems of one GPU in the workload with more systems.
  const [first, second, ...others] = points;
  const onOneGpu = { ...first, system: { ...first?.system, id: 'other engine' } } as (typeof points)[number];
  const pointsIn = (workload: string) =>
    [first, ...(workload === '8k-1k-steady' ? [second] : [onOneGpu]), ...others].flatMap((point) => point ?? []);
  const found = await view('', [], pointsIn);
  expect(found).toMatchObject({ workload: '8k-1k-steady', chosenModel: 'deepseek-r1', models: [{ groups: 2 }, {}] });
  expect(found?.workloads.map(({ id }) => id)).toEqual(['8k-1k-steady', '1k-1k-steady']);
  expect((await view('workload=1k-1k-steady', [], pointsIn))?.workload).toBe('1k-1k-steady');
});

test('names what the curves of all models are', async () => {
  const found = await view('model=all');
  expect(found?.title).toBe('Output throughput per GPU over per-user speed, 1K→1K, steady, best model of each GPU');
  expect(found).toMatchObject({ chosenModel: null, href: '/explore?model=all' });
  expect(found?.drawing?.curves).toHaveLength(3);
  expect(found?.notes.join()).not.toContain('differ in');
  expect((await view('by=engine&model=all'))?.notes).toContain('Systems of one group differ in model and GPU.');
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
