import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminKey, createAccount, startTestServer, type TestServer } from '../../support/server.ts';

// A new account's results are not ranked; their submitter sees the provisional rank.

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ REGISTRATION: 'open' });
});
afterAll(() => server?.dispose());

const report = (version: string, rates: number[]) =>
  JSON.stringify({
    schema: 'inferboard/v1',
    system: {
      ...{ model: 'llama-3.1-8b', quantization: 'fp8', gpu: 'h100-sxm', gpu_count: 1 },
      engine: { name: 'vllm', version },
    },
    // No workload of the sample data has this shape.
    scenario: { input_tokens: 330, output_tokens: 770 },
    results: rates.map((output_tok_s, place) => ({
      load: { mode: 'concurrency', level: place + 1 },
      metrics: { output_tok_s },
    })),
  });

interface Sent {
  id: string;
  status: string;
  account: { id: string };
  results: { workload: { id: string }; would_rank: unknown }[];
}

async function send(key: string, version: string, rates: number[]): Promise<Sent> {
  const response = await fetch(`${server.url}/v1/submissions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: report(version, rates),
  });
  expect(response.status).toBe(201);
  return (await response.json()) as Sent;
}

async function register(name: string): Promise<string> {
  const response = await fetch(`${server.url}/v1/accounts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  });
  expect(response.status).toBe(201);
  return ((await response.json()) as { key: { key: string } }).key.key;
}

const read = async (path: string) => (await fetch(`${server.url}${path}`)).text();
const submission = async (id: string) => JSON.parse(await read(`/v1/submissions/${id}`)) as Sent;

test('a new account sees the rank that its results would have', async () => {
  const vouched = await createAccount(server.url, 'vouched');
  const ranked = await send(vouched, '1', [500]);
  for (const [place, rate] of [450, 400].entries()) await send(vouched, `2.${place}`, [rate]);
  const sent = await send(await register('newcomer'), '3', [420, 460]);
  expect(sent.status).toBe('provisional');
  expect(sent.results.map((result) => result.would_rank)).toEqual([null, null]);

  const [first, second] = (await submission(sent.id)).results;
  const board = { of: 4, metric: 'output_tok_s_per_gpu', statistic: null, workload: first?.workload.id };
  expect(first?.would_rank).toEqual({ rank: 3, ...board });
  expect(second?.would_rank).toEqual({ rank: 2, ...board });
  expect((await submission(ranked.id)).results.map((result) => result.would_rank)).toEqual([null]);
  const page = await read(`/submissions/${sent.id}`);
  expect(page).toContain('Provisional');
  expect(page).toContain('would rank 3rd of 4 systems by Output throughput per GPU');
  expect(await read(`/submissions/${ranked.id}`)).not.toContain('would rank');
  expect(await read(`/badges/submissions/${sent.id}.svg`)).toContain('provisional · would rank 2nd of 4');
  const csv = /href="(\/v1\/results\.csv[^"]+)"/.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? '';
  expect((await read(csv)).trim().split('\n')).toHaveLength(3);

  // Its board still has three systems.
  const leaderboard = JSON.parse(await read(`/v1/leaderboard?workload=${first?.workload.id}`));
  expect(leaderboard.rank_by).toBe('output_tok_s_per_gpu');
  expect(leaderboard.data).toHaveLength(3);

  const vouching = await fetch(`${server.url}/v1/accounts/${sent.account.id}/vouch`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ note: 'They are known.' }),
  });
  expect(vouching.status).toBe(200);
  const after = JSON.parse(await read(`/v1/leaderboard?workload=${first?.workload.id}`));
  expect(after.data.map(({ value }: { value: number }) => value)).toEqual([500, 460, 450, 400]);
  expect((await submission(sent.id)).results.map((result) => result.would_rank)).toEqual([null, null]);
});
