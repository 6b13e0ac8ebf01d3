import { beforeAll, describe, expect, it } from 'vitest';
import { useTestApp } from '../testing/index.ts';

const app = useTestApp({ registration: 'open' });
let keys: string[] = [];
beforeAll(async () => {
  keys = await Promise.all(['first', 'second', 'third'].map((name) => app.createAccount(name)));
});

interface Claim {
  account: { name: string };
  status: string;
  trust: string;
  stands: boolean;
  agreement: string | null;
  ratio: number | null;
  runs: number;
  statistics: Record<string, { n: number; mean: number }>;
}

async function submit(by: number, values: number[], version = '1'): Promise<string> {
  const report = {
    schema: 'inferboard/v1',
    system: {
      model: 'llama-3.1-8b',
      quantization: 'bf16',
      gpu: 'h100-sxm',
      gpu_count: 1,
      engine: { name: 'vllm', version },
    },
    scenario: 'chatbot',
    results: values.map((value) => ({ load: { mode: 'concurrency', level: 8 }, metrics: { output_tok_s: value } })),
  };
  const response = await app.submit(JSON.stringify(report), {}, keys[by] ?? '');
  expect(response.status).toBe(201);
  return ((await response.json()) as { results: { system: { id: string } }[] }).results[0]?.system.id ?? '';
}

describe('the points of a system', () => {
  it('list the figures of each account, and name the claim without agreement', async () => {
    await submit(0, [500, 502, 504]);
    await submit(1, [510, 511, 512]);
    const system = await submit(2, [900]);
    interface Point {
      statistics: Record<string, { n: number; mean: number }>;
      claims: Claim[];
      replication: { agreeing: number; disagreeing: number };
    }
    const { points } = await app.get<{ points: Point[] }>(`/v1/systems/${system}`);
    expect(points).toHaveLength(1);
    expect(points[0]).toMatchObject({
      statistics: { output_tok_s: { n: 3, mean: 502 } },
      replication: { agreeing: 1, disagreeing: 1 },
    });
    const claims = points[0]?.claims.map(({ account, trust, stands, agreement, ratio, runs, statistics }) => [
      ...[account.name, trust, stands, agreement, ratio, runs, statistics.output_tok_s?.mean],
    ]);
    expect(claims).toEqual([
      ['first', 'replicated', true, null, null, 3, 502],
      ['second', 'replicated', false, 'agreeing', 511 / 502, 3, 511],
      ['third', 'self_reported', false, 'disagreeing', 900 / 502, 1, 900],
    ]);
  });

  it('list the claim of a new account, and exclude it from the counts', async () => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"name":"newcomer"}' };
    const { key } = (await (await app.request('/v1/accounts', init)).json()) as { key: { key: string } };
    keys.push(key.key);
    await submit(0, [500, 502, 504], '2');
    interface Points {
      points: { status: string; statistics: object; replication: object | null; claims: Claim[] }[];
    }
    const before = (await app.get<Points>(`/v1/systems/${await submit(3, [250], '2')}`)).points;
    const accepted = before.find(({ status }) => status === 'accepted');
    expect(accepted).toMatchObject({ statistics: { output_tok_s: { n: 3, mean: 502 } }, replication: null });
    const listed = accepted?.claims.map(({ account, status, stands, agreement, ratio }) => [
      ...[account.name, status, stands, agreement, ratio],
    ]);
    expect(listed).toEqual([
      ['first', 'accepted', true, null, null],
      ['newcomer', 'provisional', false, 'disagreeing', 250 / 502],
    ]);
  });
});
