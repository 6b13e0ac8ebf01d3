import { refreshPointStatistics } from '@inferboard/db/queries/point-statistics-refresh';
import { beforeAll, describe, expect, it } from 'vitest';
import { adminKey, useTestApp } from './testing/index.ts';

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

/** A report of a system of its own, told from others by the version of its engine. */
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

const board = (version: string, query = '') =>
  app.get<Board>(`/v1/leaderboard?rank_by=output_tok_s&engine_version=${version}${query}`);
const trustOf = async (version: string) =>
  (await app.get<Page>(`/v1/results?engine_version=${version}`)).data.map(({ trust }) => trust);

/** Everything told of trust, as it stands and as it is when all is worked out anew. */
async function twice() {
  const { db, sql } = app.deps.database;
  const told = async () => [
    ...(await sql`
      select t.point_id, t.status, t.variant, t.trust, t.replication,
        (select jsonb_object_agg(r.id, r.trust) from results r where r.point_id = t.point_id) as results
      from point_statistics t order by 1, 2, 3`),
  ];
  const before = await told();
  const points = await sql<{ id: string }[]>`select id from points`;
  await db.transaction((tx) =>
    refreshPointStatistics(
      tx,
      points.map(({ id }) => Number(id)),
    ),
  );
  return { before, after: await told() };
}

describe('a point that two accounts measured', () => {
  it('is replicated where they agree, and so are their results from then on', async () => {
    const first = await submit(0, 'a1', [{ output_tok_s: 1000 }]);
    expect(first.results[0]?.trust).toBe('self_reported');
    expect((await board('a1')).data).toMatchObject([{ trust: 'self_reported', replication: null }]);
    const second = await submit(1, 'a1', [{ output_tok_s: 1040 }]);
    expect(second.results[0]?.trust).toBe('replicated');
    expect((await board('a1')).data).toMatchObject([
      {
        trust: 'replicated',
        replication: { replicated: [first.account.id, second.account.id].sort(), conflicts: [] },
      },
    ]);
    expect(await trustOf('a1')).toEqual(['replicated', 'replicated']);
    expect((await board('a1', '&trust=replicated')).data).toHaveLength(1);
    expect((await board('a1', '&trust=self_reported')).data).toHaveLength(0);
  });

  it('shows the conflict where they do not', async () => {
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

  it('is not one that an account measured twice, or somebody sent a copy of', async () => {
    await submit(0, 'a3', [{ output_tok_s: 1000 }]);
    await submit(0, 'a3', [{ output_tok_s: 1001 }]);
    const response = await app.submit(report('a3', [{ output_tok_s: 1000 }]), {}, keys[1] ?? '');
    expect(response.status).toBe(201);
    expect(new Set(await trustOf('a3'))).toEqual(new Set(['self_reported']));
    expect((await board('a3')).data[0]?.replication).toBeNull();
  });

  it('replicates nothing where a fact of the system is not told', async () => {
    await submit(0, 'a4', [{ output_tok_s: 1000 }], 'unspecified');
    await submit(1, 'a4', [{ output_tok_s: 1000 }], 'unspecified');
    expect(await trustOf('a4')).toEqual(['self_reported', 'self_reported']);
  });

  it('leaves out the third who contradicts both', async () => {
    await submit(0, 'a5', [{ output_tok_s: 1000 }]);
    await submit(1, 'a5', [{ output_tok_s: 1010 }]);
    const third = await submit(2, 'a5', [{ output_tok_s: 1400 }]);
    expect(third.results[0]?.trust).toBe('self_reported');
    expect(await trustOf('a5')).toEqual(['self_reported', 'replicated', 'replicated']);
    expect((await board('a5')).data[0]?.replication?.conflicts).toMatchObject([{ apart: 400 / 1400 }]);
  });

  it('is no longer replicated once the other is retracted', async () => {
    await submit(0, 'a6', [{ output_tok_s: 1000 }]);
    const second = await submit(1, 'a6', [{ output_tok_s: 1010 }]);
    expect(await trustOf('a6')).toEqual(['replicated', 'replicated']);
    const response = await app.request(`/v1/submissions/${second.id}/retract`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ reason: 'A wrong driver.' }),
    });
    expect(response.status).toBe(200);
    expect(await trustOf('a6')).toEqual(['self_reported']);
    expect((await board('a6')).data).toMatchObject([{ trust: 'self_reported', replication: null }]);
  });
});

it('is told as it is when everything is worked out anew', async () => {
  const speeds = [1000, 1020, 1100, 1500];
  for (let step = 0; step < 24; step += 1) {
    const speed = speeds[(step * 7) % 4] ?? 0;
    await submit(step % 3, `b${step % 2}`, [
      { output_tok_s: speed + step / 100 },
      { ttft_ms_mean: 100 + (step % 5) * 3 },
    ]);
  }
  const { before, after } = await twice();
  expect(before.length).toBeGreaterThan(0);
  expect(after).toEqual(before);
});
