import { describe, expect, it } from 'vitest';
import { expectRule, nativeReport } from '../support/hostile.ts';
import { authorization, useHostileApp, viewOf } from './setup.ts';

// For any input: no 5xx, a problem document with the error for every rejection, and no silently ignored input.

const { app, look, submit } = useHostileApp();

describe('concurrent requests', () => {
  const report = (i: number) =>
    nativeReport({
      system: { engine: { name: 'vllm', version: 'crowd' } },
      scenario: { input_tokens: 11, output_tokens: 7 },
      results: Array.from({ length: 5 }, (_, k) => ({
        // Half of them have the points in reverse order.
        load: { mode: 'concurrency', level: 1 + (i % 2 === 0 ? k : 4 - k) },
        metrics: { output_tok_s: 100 + i },
      })),
    });

  it('stores the same bytes once, regardless of the number of requests', async () => {
    const all = await Promise.all(Array.from({ length: 50 }, () => submit(report(0))));
    for (const seen of all) expectRule(seen, { slowestMs: 60_000 });
    expect(all.filter((seen) => seen.status === 201)).toHaveLength(1);
    expect(all.filter((seen) => seen.status === 200)).toHaveLength(49);
    expect(new Set(all.map((seen) => viewOf(seen.text).id)).size).toBe(1);
  });

  it('counts all of fifty submissions at the same points', async () => {
    const all = await Promise.all(Array.from({ length: 50 }, (_, i) => submit(report(i + 1))));
    for (const seen of all) {
      expectRule(seen, { slowestMs: 60_000 });
      expect(seen.status).toBe(201);
    }
    const system = viewOf(all[0]?.text ?? '').results[0]?.system.id;
    const { points } = await app.get<{
      points: { result_count: number; statistics: { output_tok_s: { n: number; mean: number } } }[];
    }>(`/v1/systems/${system}`);
    expect(points).toHaveLength(5);
    for (const point of points) {
      expect(point.result_count).toBe(51);
      expect(point.statistics.output_tok_s.n).toBe(51);
      expect(point.statistics.output_tok_s.mean).toBeCloseTo(125, 9);
    }
  });

  it('creates one account for a name', async () => {
    const all = await Promise.all(
      Array.from({ length: 20 }, () =>
        look('/v1/accounts', {
          method: 'POST',
          headers: { authorization, 'content-type': 'application/json' },
          body: '{"name":"race"}',
        }),
      ),
    );
    for (const seen of all) expectRule(seen, { slowestMs: 60_000 });
    expect(all.map((seen) => seen.status).toSorted()).toEqual([201, ...Array(19).fill(409)]);
  });

  it('paginates without a gap or a repetition', async () => {
    for (const list of ['/v1/results', '/v1/submissions', '/v1/systems']) {
      const include = list === '/v1/submissions' ? '' : '&include=quarantined';
      const ids: string[] = [];
      let cursor: string | null = null;
      do {
        const path: string = `${list}?limit=7${include}${cursor === null ? '' : `&cursor=${cursor}`}`;
        const page = await app.get<{ data: { id: string }[]; next_cursor: string | null }>(path);
        ids.push(...page.data.map(({ id }) => id));
        cursor = page.next_cursor;
        // Newer entries that arrive meanwhile neither repeat nor displace the remaining ones.
        if (list !== '/v1/systems' && ids.length === 7) await submit(report(1000 + ids.length));
      } while (cursor !== null);
      expect(new Set(ids).size).toBe(ids.length);
    }
  });
});
