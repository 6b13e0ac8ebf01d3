import { describe, expect, it } from 'vitest';
import { useTestApp } from '../testing/index.ts';

interface Frontier {
  workload: { id: string; chosen_because: string } | null;
  x: { metric: string; better: string };
  y: { metric: string; better: string };
  data: { on_frontier: boolean; x: number; y: number; load: { level: number }; scenario: { id: string } }[];
  excluded: Record<string, number>;
}

const app = useTestApp({ sampleData: true });

describe('the frontier', () => {
  it.each([
    ['', 'user_tok_s', 'output_tok_s_per_gpu'],
    ['?x=decode_tok_s&y=tok_per_joule&model=llama-2-7b', 'decode_tok_s', 'tok_per_joule'],
    ['?x=itl_ms&y=user_tok_s&workload=tg128', 'itl_ms_mean', 'user_tok_s'],
  ])('of %j has the points that no other point dominates', async (query, x, y) => {
    const answer = await app.get<Frontier>(`/v1/pareto${query}`);
    expect([answer.x.metric, answer.y.metric]).toEqual([x, y]);
    const beats = (a: Frontier['data'][number], b: Frontier['data'][number]) => {
      const [dx, dy] = [(answer.x.better === 'higher' ? 1 : -1) * (a.x - b.x), a.y - b.y];
      return dx >= 0 && dy >= 0 && (dx > 0 || dy > 0);
    };
    for (const point of answer.data) expect(point.on_frontier).toBe(!answer.data.some((other) => beats(other, point)));
    expect(answer.data.map((point) => point.x)).toEqual(answer.data.map((point) => point.x).sort((a, b) => a - b));
  });

  it('of each model has the points that no other point of the same model dominates', async () => {
    interface Whole {
      data: { x: number; y: number; on_frontier: boolean; system: { model: { name: string } } }[];
      excluded: Record<string, number>;
    }
    const query = 'x=itl_ms&y=decode_tok_s&full=true';
    const all = await app.get<Whole>(`/v1/pareto?${query}`);
    const each = await app.get<Whole>(`/v1/pareto?${query}&frontier_of=model`);
    const isBeaten = (point: Whole['data'][number]) =>
      all.data.some(
        ({ x, y, system }) =>
          system.model.name === point.system.model.name && x <= point.x && y >= point.y && (x < point.x || y > point.y),
      );
    expect(new Set(all.data.map(({ system }) => system.model.name)).size).toBeGreaterThan(1);
    expect(each.data).toEqual(all.data.filter((point) => !isBeaten(point)));
    expect(each.data.length).toBeLessThan(all.data.length);
    expect(each.excluded).toMatchObject({ off_frontier: all.data.length - each.data.length });
  });

  it('accepts the common filters', async () => {
    const all = await app.get<Frontier>('/v1/pareto?x=itl_ms&y=decode_tok_s');
    const some = await app.get<Frontier>('/v1/pareto?x=itl_ms&y=decode_tok_s&scenario=tg128&max_itl_ms=10');
    expect(all.workload).toMatchObject({ id: 'tg128-offline', chosen_because: 'most_systems' });
    expect(some.data.length).toBeGreaterThan(0);
    expect(some.data.length).toBeLessThan(all.data.length);
    for (const { scenario, x } of some.data) {
      expect(scenario.id).toBe('tg128');
      expect(x).toBeLessThanOrEqual(10);
    }
  });

  it.each([
    ['x=nothing', 'metric_unknown'],
    ['y=ttft_ms_p50&x=forward_ms', 'metrics_of_two_kinds'],
    ['limit=5', 'parameter_unknown'],
    ['gpu=h1000', 'value_unknown'],
  ])('%s is rejected', async (query, code) => {
    const response = await app.request(`/v1/pareto?${query}`);
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ errors: [{ code }] });
  });
});
