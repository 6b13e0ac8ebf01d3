import { beforeAll, describe, expect, it } from 'vitest';
import { useTestApp } from '../testing/index.ts';

interface Comparison {
  systems: { id: string }[];
  differences: { field: string; values: unknown[] }[];
  points: {
    scenario: { id: string };
    load: { mode: string; level: number };
    metrics: {
      metric: string;
      figures: ({
        value: number;
        n: number | null;
        compared: {
          ratio: number;
          interval: [number, number] | null;
          significant: boolean | null;
          better: boolean;
        } | null;
      } | null)[];
    }[];
  }[];
  excluded: { measured_by_one: number };
}

const app = useTestApp({ sampleData: true });
let ids: string[] = [];
beforeAll(async () => {
  const board = await app.get<{ data: { system: { id: string } }[] }>(
    '/v1/best?subject=quantization&scenario=decode-bound&rank_by=decode_tok_s&tool=sglang%20bench_one_batch_server',
  );
  ids = board.data.map(({ system }) => system.id);
});

const ask = (systems: readonly string[], more = '') =>
  app.get<Comparison>(`/v1/compare?full=true&${systems.map((id) => `system=${id}`).join('&')}${more}`);

describe('systems side by side', () => {
  it('lists differences first, and compares every common point', async () => {
    const [best = '', worst = ''] = [ids[0], ids.at(-1)];
    const { systems, differences, points } = await ask([best, worst]);
    expect(systems.map(({ id }) => id)).toEqual([best, worst]);
    expect(differences.map(({ field }) => field)).toContain('quantization');
    const point = points.find(({ scenario, load }) => scenario.id === 'decode-bound' && load.level === 1);
    const speed = point?.metrics.find(({ metric }) => metric === 'decode_tok_s');
    const [first, second] = speed?.figures ?? [];
    expect(first).toMatchObject({ n: 3, compared: null });
    // 136.47 and 198.06 tok/s, n = 3 each.
    expect(second?.compared?.ratio).toBeCloseTo(136.47 / 198.06, 3);
    expect(second?.compared).toMatchObject({ significant: true, better: false });
    const [low, high] = second?.compared?.interval ?? [0, 0];
    expect(low).toBeLessThan(second?.compared?.ratio ?? 0);
    expect(high).toBeGreaterThan(second?.compared?.ratio ?? 0);
    expect(high).toBeLessThan(1);
  });

  it('can be six, and accept the common filters', async () => {
    const { points, systems } = await ask(ids.slice(0, 6), '&scenario=decode-bound&load_level=1');
    expect(systems).toHaveLength(6);
    expect(points.map(({ scenario, load }) => [scenario.id, load.level])).toEqual([['decode-bound', 1]]);
    for (const { figures } of points[0]?.metrics ?? []) expect(figures).toHaveLength(6);
  });

  // All three are 8-bit w8a8; only the recipe differs.
  it('with the same quantization format are distinguished by their recipe', async () => {
    const { differences } = await ask(ids.slice(0, 3));
    expect(differences.find(({ field }) => field === 'quantization_recipe')?.values.toSorted()).toEqual([
      'smooth, gptq',
      'smooth, ptq',
      'sparse, smooth, gptq',
    ]);
  });

  it('have no n and no interval if the tool does not state the number of runs', async () => {
    const limits = await app.get<{ data: { id: string }[] }>('/v1/systems?model=llama-2-7b&limit=2');
    const { points } = await ask(limits.data.map(({ id }) => id));
    const [first, second] = points[0]?.metrics[0]?.figures ?? [];
    expect([first?.n, second?.n]).toEqual([null, null]);
    expect(second?.compared).toMatchObject({ interval: null, significant: null });
  });

  it('have no comparison without common points, and the response counts the omitted points', async () => {
    const other = await app.get<{ data: { system: { id: string } }[] }>('/v1/leaderboard?rank_by=forward_ms');
    const { points, excluded } = await ask([ids[0] ?? '', other.data[0]?.system.id ?? '']);
    expect(points).toEqual([]);
    expect(excluded.measured_by_one).toBeGreaterThan(0);
  });

  it.each([
    ['no system', '', 422],
    ['one system', 'system=sys_1', 422],
    ['one system twice', 'system=sys_1&system=sys_1', 422],
    ['seven systems', [1, 2, 3, 4, 5, 6, 7].map((n) => `system=sys_${n}`).join('&'), 422],
    ['two unknown systems', 'system=sys_1&system=nothing', 422],
  ])('%s is rejected', async (_, query, status) => {
    const response = await app.request(`/v1/compare?${query}`);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({
      errors: expect.arrayContaining([expect.objectContaining({ parameter: 'system' })]),
    });
  });
});
