import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { adminKey, useTestApp } from '../testing/index.ts';

interface Frontier {
  x: { metric: string; better: string; definition: unknown; evaluation?: { task: string; workload: string } };
  y: { metric: string; better: string; evaluation?: { task: string; workload: string } };
  data: { x: number; y: number; on_frontier: boolean; system: { quantization: { id: string } } }[];
  excluded: Record<string, number>;
}

const app = useTestApp();

const evaluation = readFileSync(
  new URL('../../../../packages/core/fixtures/lm-evaluation-harness/0.4-gsm8k-cot.json', import.meta.url),
  'utf8',
);

/** Speeds of Llama 3.1 8B at two loads. */
const speeds = (quantization: string, values: readonly [number, number], gpu = 'h100-sxm') => ({
  schema: 'inferboard/v1',
  system: { model: 'llama-3.1-8b', quantization, gpu, gpu_count: 1, engine: { name: 'vllm', version: '0.11.0' } },
  scenario: 'chatbot',
  results: values.map((value, at) => ({
    load: { mode: 'concurrency', level: at + 1 },
    metrics: { output_tok_s: value, user_tok_s: value / (at + 1) },
  })),
});

beforeAll(async () => {
  const worse = JSON.parse(evaluation);
  worse.results.gsm8k_cot['exact_match,strict-match'] = 0.765;
  // By another method of the same task, only one quantization was evaluated.
  delete worse.results.gsm8k_cot['exact_match,flexible-extract'];
  const lines = [speeds('bf16', [100, 180]), speeds('fp8', [150, 280]), speeds('int4', [200, 350])];
  const sent = [
    await app.submit(evaluation, { quantization: 'bf16' }, adminKey),
    await app.submit(JSON.stringify(worse), { quantization: 'fp8' }, adminKey),
    await app.submit(lines.map((line) => JSON.stringify(line)).join('\n'), {}, adminKey),
  ];
  for (const response of sent) expect(response.status, await response.clone().text()).toBe(201);
});

describe('scores as an axis', () => {
  it('are paired with the speeds of the same model and quantization, for one evaluation', async () => {
    const { x, y, data, excluded } = await app.get<Frontier>('/v1/pareto?x=score:gsm8k_cot&y=output_tok_s_per_gpu');
    expect(x).toMatchObject({ metric: 'score:gsm8k_cot', unit: '', better: 'higher', definition: null });
    expect(x.evaluation).toMatchObject({
      ...{ task: 'gsm8k_cot', variant: 'strict-match', few_shot: 8 },
      workload: 'gsm8k-cot-exact-match-strict-match-8-shot',
    });
    expect(y.evaluation).toBeUndefined();
    expect(data.map((point) => [point.system.quantization.id, point.x, point.y, point.on_frontier])).toEqual([
      ['fp8', 0.765, 150, false],
      ['fp8', 0.765, 280, true],
      ['bf16', 0.78, 100, false],
      ['bf16', 0.78, 180, true],
    ]);
    expect(excluded).toMatchObject({ not_evaluated: 2 });
  });

  it('can be the other axis, also with cost', async () => {
    const turned = await app.get<Frontier>('/v1/pareto?y=score:gsm8k_cot&x=output_tok_s_per_gpu');
    expect(turned.data.map(({ x, y }) => [x, y])).toEqual([
      [100, 0.78],
      [150, 0.765],
      [180, 0.78],
      [280, 0.765],
    ]);
    const cost = await app.get<Frontier>('/v1/pareto?y=score:gsm8k_cot&x=usd_per_mtok_output&price[h100]=2');
    expect(cost.x.better).toBe('lower');
    expect(cost.data.map(({ y }) => y)).toEqual([0.765, 0.78, 0.765, 0.78]);
    expect(cost.data[0]?.x).toBeCloseTo((2 / (280 * 3600)) * 1e6, 9);
    const each = await app.get<Frontier>('/v1/pareto?x=score:gsm8k_cot&y=user_tok_s&frontier_of=quantization');
    expect(each.data.map(({ x, y }) => [x, y])).toEqual([
      [0.765, 150],
      [0.78, 100],
    ]);
  });

  it('return no points for a task without evaluations', async () => {
    expect((await app.get<Frontier>('/v1/pareto?x=score:humaneval&y=output_tok_s')).data).toEqual([]);
  });

  it.each([
    ['x=score:gsm8k_cot&y=score:mmlu', 'metrics_of_two_kinds'],
    ['x=score:banana&y=output_tok_s', 'value_unknown'],
    ['x=score:&y=output_tok_s', 'metric_unknown'],
  ])('%s is rejected', async (query, code) => {
    const response = await app.request(`/v1/pareto?${query}`);
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ errors: [{ code }] });
  });
});
