import { describe, expect, it } from 'vitest';
import { useTestApp } from './testing/index.ts';

interface Frontier {
  x: { metric: string; better: string };
  y: { metric: string; better: string };
  data: { on_frontier: boolean; x: number; y: number; load: { level: number }; scenario: { id: string } }[];
  excluded: Record<string, number>;
}

const app = useTestApp({ sampleData: true });

describe('the frontier', () => {
  it.each([
    ['', 'user_tok_s', 'output_tok_s_per_gpu'],
    ['?x=e2e_ms&y=output_tok_s&scenario=chatbot', 'e2e_ms_mean', 'output_tok_s'],
    ['?x=ttft_ms_p99&y=output_tok_s', 'ttft_ms_p99', 'output_tok_s'],
  ])('of %j is what no other point beats', async (query, x, y) => {
    const answer = await app.get<Frontier>(`/v1/pareto${query}`);
    expect([answer.x.metric, answer.y.metric]).toEqual([x, y]);
    const beats = (a: Frontier['data'][number], b: Frontier['data'][number]) => {
      const [dx, dy] = [(answer.x.better === 'higher' ? 1 : -1) * (a.x - b.x), a.y - b.y];
      return dx >= 0 && dy >= 0 && (dx > 0 || dy > 0);
    };
    for (const point of answer.data) expect(point.on_frontier).toBe(!answer.data.some((other) => beats(other, point)));
    expect(answer.data.map((point) => point.x)).toEqual(answer.data.map((point) => point.x).sort((a, b) => a - b));
  });

  it('takes the filters of every read', async () => {
    const all = await app.get<Frontier>('/v1/pareto?x=e2e_ms&y=output_tok_s');
    const some = await app.get<Frontier>('/v1/pareto?x=e2e_ms&y=output_tok_s&scenario=decode-bound&max_e2e_ms=4000');
    expect(some.data.length).toBeGreaterThan(0);
    expect(some.data.length).toBeLessThan(all.data.length);
    for (const { scenario, x } of some.data) {
      expect(scenario.id).toBe('decode-bound');
      expect(x).toBeLessThanOrEqual(4000);
    }
  });

  it.each([
    ['x=nothing', 'metric_unknown'],
    ['y=ttft_ms_p50&x=forward_ms', 'metrics_of_two_kinds'],
    ['limit=5', 'parameter_unknown'],
    ['gpu=h1000', 'value_unknown'],
  ])('%s is refused', async (query, code) => {
    const response = await app.request(`/v1/pareto?${query}`);
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ errors: [{ code }] });
  });
});
