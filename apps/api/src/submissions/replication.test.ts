import { refreshPointStatistics } from '@inferboard/db/points/point-statistics-refresh';
import { beforeAll, describe, expect, it } from 'vitest';
import { adminKey, useTestApp } from '../testing/index.ts';

const app = useTestApp();
let keys: string[] = [];
beforeAll(async () => {
  keys = await Promise.all(['one', 'two', 'three'].map((name) => app.createAccount(name)));
});

interface Figure {
  account: string;
  mean: number;
}
interface Board {
  data: {
    trust: string;
    statistics: { n: number; mean: number };
    replication: {
      replicated: string[];
      conflicts: { metric: string; apart: number; low: Figure; high: Figure }[];
    } | null;
  }[];
  excluded: Record<string, number>;
}
interface Page {
  data: { trust: string; submission_id: string; metrics: Record<string, number | null> }[];
}

/** A report of a separate system, distinguished by its engine version. */
const report = (version: string, metrics: Record<string, number>[], gpu = 'h100-sxm') =>
  JSON.stringify({
    schema: 'inferboard/v1',
    system: { model: 'llama-3.1-8b', quantization: 'bf16', gpu, gpu_count: 1, engine: { name: 'vllm', version } },
    scenario: 'chatbot',
    results: metrics.map((of) => ({ load: { mode: 'concurrency', level: 8 }, metrics: of })),
  });

async function submit(by: number, version: string, metrics: Record<string, number>[], gpu?: string) {
  const response = await app.submit(report(version, metrics, gpu), {}, keys[by] ?? '');
  expect(response.status).toBe(201);
  return (await response.json()) as { id: string; account: { id: string }; results: { trust: string }[] };
}

/** Three repetitions with this mean and a different deviation for each account. */
const runs = (by: number, mean: number) =>
  (
    [
      [-7, 3, 4],
      [4, -9, 5],
      [1, 8, -9],
    ][by] ?? []
  ).map((permille) => ({ output_tok_s: mean * (1 + permille / 1000) }));
const submitRuns = (by: number, version: string, mean: number, gpu?: string) =>
  submit(by, version, runs(by, mean), gpu);

const board = (version: string, query = '') =>
  app.get<Board>(`/v1/leaderboard?full=true&rank_by=output_tok_s&engine_version=${version}${query}`);
const trustOf = async (version: string) =>
  (await app.get<Page>(`/v1/results?engine_version=${version}`)).data.map(({ trust }) => trust);

/** All trust data, as stored and as recomputed. */
async function twice() {
  const { db, sql } = app.deps.database;
  const readTrust = async () => [
    ...(await sql`
      select t.point_id, t.status, t.account_id, t.own_trust, t.variant, t.trust, t.stands, t.disputed, t.replication,
        (select jsonb_object_agg(r.id, r.trust) from results r where r.point_id = t.point_id) as results
      from point_statistics t order by t.point_id, t.status, t.account_id, t.own_trust, t.variant`),
  ];
  const before = await readTrust();
  const points = await sql<{ id: string }[]>`select id from points`;
  await db.transaction((tx) =>
    refreshPointStatistics(
      tx,
      points.map(({ id }) => Number(id)),
    ),
  );
  return { before, after: await readTrust() };
}

describe('a point measured by two accounts', () => {
  it('is replicated if they agree, and so are their results', async () => {
    const first = await submitRuns(0, 'a1', 1000);
    expect(first.results[0]?.trust).toBe('self_reported');
    expect((await board('a1')).data).toMatchObject([{ trust: 'self_reported', replication: null }]);
    const second = await submitRuns(1, 'a1', 1040);
    expect(second.results[0]?.trust).toBe('replicated');
    // The earlier claim remains, with its own values.
    expect((await board('a1')).data).toMatchObject([
      {
        trust: 'replicated',
        statistics: { n: 3, mean: 1000 },
        replication: { replicated: [first.account.id, second.account.id].sort(), conflicts: [] },
      },
    ]);
    expect(await trustOf('a1')).toEqual(Array(6).fill('replicated'));
    expect((await board('a1', '&trust=replicated')).data).toHaveLength(1);
    expect((await board('a1', '&trust=self_reported')).data).toHaveLength(0);
  });

  it('is not replicated by fewer than three runs without records', async () => {
    await submit(0, 'a7', [{ output_tok_s: 1000 }]);
    await submit(1, 'a7', [{ output_tok_s: 1010 }, { output_tok_s: 1017 }]);
    expect(await trustOf('a7')).toEqual(Array(3).fill('self_reported'));
    expect((await board('a7')).data).toMatchObject([{ replication: { replicated: [], conflicts: [] } }]);
    const third = await submit(1, 'a7', [{ output_tok_s: 1004 }]);
    // The three runs support the other account's result, but not the reverse.
    expect(third.results[0]?.trust).toBe('self_reported');
    expect(await trustOf('a7')).toEqual([...Array(3).fill('self_reported'), 'replicated']);
  });

  it('shows the conflict if they disagree', async () => {
    const low = await submit(0, 'a2', [{ output_tok_s: 1000, req_s: 4 }]);
    const high = await submit(1, 'a2', [{ output_tok_s: 1250, req_s: 4 }]);
    expect((await board('a2')).data).toMatchObject([
      {
        trust: 'self_reported',
        replication: {
          replicated: [],
          conflicts: [
            {
              metric: 'output_tok_s',
              apart: 0.2,
              low: { account: low.account.id, mean: 1000 },
              high: { account: high.account.id, mean: 1250 },
            },
          ],
        },
      },
    ]);
  });

  it('requires two accounts, and excludes copies', async () => {
    await submitRuns(0, 'a3', 1000);
    await submit(0, 'a3', [{ output_tok_s: 1001 }]);
    const response = await app.submit(report('a3', runs(0, 1000)), {}, keys[1] ?? '');
    expect(response.status).toBe(201);
    expect(new Set(await trustOf('a3'))).toEqual(new Set(['self_reported']));
    expect((await board('a3')).data[0]?.replication).toBeNull();
  });

  it('is not replicated if a fact of the system is unknown', async () => {
    await submitRuns(0, 'a4', 1000, 'unspecified');
    await submitRuns(1, 'a4', 1000, 'unspecified');
    expect(await trustOf('a4')).toEqual(Array(6).fill('self_reported'));
  });

  it('excludes a third account that contradicts both', async () => {
    await submitRuns(0, 'a5', 1000);
    await submitRuns(1, 'a5', 1010);
    const third = await submitRuns(2, 'a5', 1400);
    expect(third.results[0]?.trust).toBe('self_reported');
    expect(await trustOf('a5')).toEqual([...Array(3).fill('self_reported'), ...Array(6).fill('replicated')]);
    const conflicts = (await board('a5')).data[0]?.replication?.conflicts;
    expect(conflicts).toMatchObject([{ apart: expect.closeTo(400 / 1400, 9) }]);
  });

  it('is not replicated any more after one claim is retracted', async () => {
    await submitRuns(0, 'a6', 1000);
    const second = await submitRuns(1, 'a6', 1010);
    expect(await trustOf('a6')).toEqual(Array(6).fill('replicated'));
    const response = await app.request(`/v1/submissions/${second.id}/retract`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ reason: 'A wrong driver.' }),
    });
    expect(response.status).toBe(200);
    expect(await trustOf('a6')).toEqual(Array(3).fill('self_reported'));
    expect((await board('a6')).data).toMatchObject([{ trust: 'self_reported', replication: null }]);
  });
});

it('the stored trust equals the recomputed trust', async () => {
  const speeds = [1000, 1020, 1100, 1500];
  for (let step = 0; step < 24; step += 1) {
    const speed = speeds[(step * 7) % 4] ?? 0;
    await submit(step % 3, `b${step % 2}`, [
      { output_tok_s: speed + step / 100 },
      { ttft_ms_mean: 100 + (step % 5) * 3 },
    ]);
  }
  const { before, after } = await twice();
  expect(new Set(before.map(({ trust }) => trust))).toEqual(new Set(['self_reported', 'replicated']));
  expect(after).toEqual(before);
});
