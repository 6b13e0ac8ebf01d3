import { beforeAll, expect, test } from 'vitest';
import { answerOf, useTestApp } from '../testing/index.ts';

const app = useTestApp();
let key = '';
beforeAll(async () => {
  key = await app.createAccount('measures the fake endpoint');
});

/** A report in the format of our load generator. */
const report = (simulated: boolean, speed: number) =>
  JSON.stringify({
    schema: 'inferboard/v1',
    tool: { name: 'inferboard-loadgen', version: '0.1.0' },
    system: { model: 'llama-3.1-8b', quantization: 'fp8', gpu: 'h100-sxm', gpu_count: 1, engine: 'vllm' },
    scenario: 'chatbot',
    results: [
      {
        load: { mode: 'concurrency', level: 8 },
        ...(simulated && { simulated: true }),
        metrics: { output_tok_s: speed },
      },
    ],
  });

const board = () => app.get<{ data: unknown[] }>('/v1/leaderboard?scenario=chatbot&rank_by=output_tok_s');

test('results of a simulated endpoint stay readable and do not rank', async () => {
  const response = await app.submit(report(true, 400), {}, key);
  expect(response.status).toBe(201);
  const stored = await answerOf(response);
  expect(stored).toMatchObject({ status: 'simulated', results: [{ status: 'simulated' }] });
  expect(stored.results[0]?.findings).toContainEqual(
    expect.objectContaining({ code: 'simulated', severity: 'info', message: expect.stringContaining('never ranks') }),
  );
  expect((await board()).data).toEqual([]);
  expect((await app.get<{ data: unknown[] }>('/v1/results')).data).toEqual([]);
  const badge = await app.request(`/badges/submissions/${stored.id}.svg`);
  expect(await badge.text()).toContain('simulated');
  const listed = await app.get<{ data: { id: string }[] }>('/v1/submissions?status=simulated');
  expect(listed.data.map(({ id }) => id)).toEqual([stored.id]);
});

test('a measurement at the same point ranks as without the simulated results', async () => {
  await app.submit(report(true, 900), {}, key);
  await app.submit(report(false, 500), {}, key);
  expect((await board()).data).toMatchObject([{ value: 500, statistics: { n: 1 } }]);
});

test('a dry run reports it too', async () => {
  const dry = await answerOf(await app.submit(report(true, 400), { dry_run: 'true' }, key));
  expect(dry).toMatchObject({ status: 'simulated', measured_by: null });
});
