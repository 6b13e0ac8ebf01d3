import { readFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { adminKey, useTestApp } from '../testing/index.ts';

interface Evaluation {
  workload: string;
  measure: string;
  value: number;
  standard_error: number | null;
  n: number | null;
  few_shot: number | null;
  system: { model: { id: string | null }; quantization: { id: string | null }; gpu: { name: string } };
}

interface Page {
  data: Evaluation[];
  next_cursor: string | null;
}

const app = useTestApp();
const fixture = (name: string) =>
  readFileSync(new URL(`../../../../packages/core/fixtures/${name}`, import.meta.url), 'utf8');

beforeAll(async () => {
  const report = JSON.parse(fixture('lm-evaluation-harness/0.4-gsm8k-cot.json'));
  const fp8 = structuredClone(report);
  fp8.results.gsm8k_cot['exact_match,strict-match'] = 0.765;
  const sent = [
    await app.submit(JSON.stringify(report), { quantization: 'bf16' }, adminKey),
    await app.submit(JSON.stringify(fp8), { quantization: 'fp8' }, adminKey),
    await app.submit(
      fixture('llama-perplexity/b10964-kl-divergence.txt'),
      { model: 'llama-3.1-8b', dataset: 'wikitext-2' },
      adminKey,
    ),
    await app.submit(
      fixture('mlperf-accuracy/5.1-llama2-70b.txt'),
      { model: 'llama-2-70b', quantization: 'fp8', gpu: 'h100' },
      adminKey,
    ),
  ];
  for (const response of sent) expect(response.status, await response.clone().text()).toBe(201);
});

it('lists evaluations with their standard error and number of items', async () => {
  const { data } = await app.get<Page>('/v1/quality?model=llama-3.1-8b&quantization=fp8');
  expect(data.map(({ workload, value }) => [workload, value])).toEqual([
    ['gsm8k-cot-exact-match-flexible-extract-8-shot', 0.72],
    ['gsm8k-cot-exact-match-strict-match-8-shot', 0.765],
    ['mmlu-pro-acc-5-shot', 0.42],
    ['wikitext-word-perplexity-0-shot', 9.8713],
  ]);
  expect(data[1]).toMatchObject({
    ...{ measure: 'score', standard_error: expect.closeTo(0.029365141882663297, 9), n: 200, few_shot: 8 },
    system: { model: { id: 'llama-3.1-8b' }, quantization: { id: 'fp8' }, gpu: { name: 'n/a' } },
  });
  // The tool states no error, so the API computes none.
  expect(data[2]).toMatchObject({ standard_error: null, n: 200 });
});

it('paginates evaluations, and accepts the common filters', async () => {
  const all = await app.get<Page>('/v1/quality');
  const first = await app.get<Page>('/v1/quality?limit=5');
  const rest = await app.get<Page>(`/v1/quality?limit=200&cursor=${first.next_cursor}`);
  expect([...first.data, ...rest.data]).toEqual(all.data);
  expect(rest.next_cursor).toBeNull();
  const good = await app.get<Page>('/v1/quality?min_score=0.77');
  expect(good.data.map(({ value }) => value)).toEqual([0.78, expect.closeTo(0.96694, 9)]);
  const gpu = await app.get<Page>('/v1/quality?gpu=h100');
  expect(gpu.data).toHaveLength(4);
});

it('ranks quantizations by score, with the interval of the items', async () => {
  const board = await app.get<{
    data: { rank: number; value: number; statistics: { n: number; ci95: [number, number] } }[];
    unit: string;
  }>('/v1/leaderboard?rank_by=score&workload=gsm8k-cot-exact-match-strict-match-8-shot');
  expect(board.data.map(({ rank, value }) => [rank, value])).toEqual([
    [1, 0.78],
    [1, 0.765],
  ]);
  const [best] = board.data;
  expect(best?.statistics.n).toBe(200);
  expect(best?.statistics.ci95[0]).toBeCloseTo(0.78 - 1.972 * 0.029365, 4);
});

it('exports evaluations in a format that can be submitted again', async () => {
  const text = await (await app.request('/v1/results.jsonl?quantization=bf16')).text();
  const other = await app.submit(text, { dry_run: 'true' }, adminKey);
  const answer = (await other.json()) as { results: { kind: string; scenario: { id: string } }[] };
  expect(answer.results.map(({ kind, scenario }) => [kind, scenario.id])).toContainEqual([
    'quality',
    'gsm8k-cot-exact-match-strict-match-8-shot',
  ]);
});

it.each(['nonsense=1', 'cursor=x', 'model=no-such-model-anywhere'])('rejects %s', async (query) => {
  expect((await app.request(`/v1/quality?${query}`)).status).toBe(422);
});

it('bounds speed boards by the score of the quantization of a model', async () => {
  for (const [quantization, rate] of [
    ['bf16', 600],
    ['fp8', 1200],
    ['int4', 1500],
  ] as const) {
    const system = { model: 'llama-3.1-8b', quantization, gpu: 'h100', gpu_count: 1, engine: 'vllm' };
    const results = [{ load: { mode: 'concurrency', level: 64 }, metrics: { output_tok_s: rate } }];
    const body = { schema: 'inferboard/v1', system, scenario: '1k-1k', results };
    expect((await app.submit(JSON.stringify(body), {}, adminKey)).status).toBe(201);
  }
  const quantizations = async (query: string) => {
    const { data } = await app.get<{ data: Evaluation[] }>(`/v1/leaderboard?rank_by=output_tok_s&${query}`);
    return data.map(({ system }) => system.quantization.id);
  };
  expect(await quantizations('')).toEqual(['w4a16', 'fp8', 'bf16']);
  // int4 has no result, so it meets no bound.
  expect(await quantizations('min_quality=gsm8k-cot:0.7')).toEqual(['fp8', 'bf16']);
  // With the flexible match both have 0.72.
  expect(await quantizations('min_quality=gsm8k_cot:75%25')).toEqual([]);
  // 0.765 is 1.9 % below 0.78.
  expect(await quantizations('quality_within=gsm8k_cot:bf16:2%25')).toEqual(['fp8', 'bf16']);
  expect(await quantizations('quality_within=gsm8k_cot:0.01')).toEqual(['bf16']);
  const q = 'best quantization of llama 3.1 8b within 1 % of bf16 on gsm8k cot';
  const answer = await app.get<{ data: Evaluation[]; links: { self: string } }>(
    `/v1/best?${new URLSearchParams({ q })}`,
  );
  expect(answer.data.map(({ system }) => system.quantization.id)).toEqual(['bf16']);
  expect(answer.links.self).toContain('quality_within=gsm8k_cot%3Abf16%3A0.01');
});

it.each([
  ['min_quality=gsm9k:0.7', 'value_unknown'],
  ['min_quality=gsm8k', 'value_invalid'],
  ['min_quality=gsm8k:7', 'value_invalid'],
  ['quality_within=gsm8k:bf17x:1%25', 'value_unknown'],
])('rejects a bound such as %s', async (query, code) => {
  const response = await app.request(`/v1/leaderboard?${query}`);
  expect(response.status).toBe(422);
  expect(((await response.json()) as { errors: object[] }).errors).toContainEqual(expect.objectContaining({ code }));
});
