import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readArtifact } from '../index.ts';

const fixture = (name: string) =>
  readFileSync(new URL(`../../../fixtures/sglang-bench-multiturn/${name}`, import.meta.url), 'utf8');
const bytes = (text: string) => new TextEncoder().encode(text);
const lengths = fixture('2025-09-lengths.txt');

// https://github.com/sgl-project/sglang/pull/10525
test('reads times in seconds, and has an unknown load if the rate was not reached', () => {
  const { tool, results } = readArtifact(bytes(lengths));
  expect(tool.name).toBe('sglang bench_multiturn');
  expect(results).toEqual([
    expect.objectContaining({
      system: expect.objectContaining({ engine: { value: 'sglang', origin: 'inferred' }, model: null }),
      scenario: expect.objectContaining({ lengths: { inputTokens: 20260.29, outputTokens: 15.34 } }),
      load: null,
      metrics: {
        requests_ok: 256,
        ttft_ms_mean: 7530,
        ttft_ms_p90: 11200,
        ttft_ms_p50: 3620,
        e2e_ms_mean: 24880,
        e2e_ms_p90: 72420,
        e2e_ms_p50: 11450,
        input_tok_s: 19306.06,
        output_tok_s: 14.62,
        req_s: 0.95,
      },
      definitions: { ttft_ms: 'send_to_first_token', e2e_ms: 'request' },
    }),
  ]);
  expect(results[0]?.extra).toEqual({ multi_turn: true, request_rate: 24, cache_hit_rate: 0.71613 });
  expect(results[0]?.notes.map(({ code }) => code)).toEqual(['multi_turn', 'prefix_cache_hits', 'load_unknown']);
});

// https://github.com/sgl-project/sglang/pull/10203
test('does not read rounds as runs', () => {
  const { results } = readArtifact(bytes(fixture('2025-09-rounds.txt')));
  expect(results).toHaveLength(1);
  expect(results[0]?.metrics).toMatchObject({ ttft_ms_mean: 1440, req_s: 1.93, input_tok_s: 12420.06 });
});

test('reads waiting clients as a closed loop if the rate exceeds them', () => {
  const command = `python3 benchmark/hicache/bench_multiturn.py --model-path Qwen/Qwen3-14B --num-clients 256 \\
  --num-rounds 1 --max-parallel 24 --request-rate 24 --disable-auto-run
`;
  const [result] = readArtifact(bytes(command + lengths)).results;
  expect(result?.load).toEqual({ mode: 'concurrency', level: 24 });
  expect(result?.system.model).toEqual({ value: 'Qwen/Qwen3-14B', origin: 'context' });
  const reached = lengths.replace('at 24 requests', 'at 1.0 requests');
  expect(readArtifact(bytes(reached)).results[0]?.load).toMatchObject({ mode: 'rate', level: 1, burstiness: 1 });
});

test('omits a truncated time', () => {
  const [result] = readArtifact(bytes(lengths.slice(0, lengths.indexOf('72.42') + 3))).results;
  expect(result?.metrics).toMatchObject({ e2e_ms_mean: 24880 });
  expect(result?.metrics).not.toHaveProperty('e2e_ms_p90');
});

test.each([
  'Performance metrics summary:\n  Total requests: 20\n  Average TTFT: 1.44\n',
  'Total requests: 20 at 16.0 requests per second\n',
])('does not claim %j', (text) => {
  expect(() => readArtifact(bytes(text), { tool: 'sglang-bench-multiturn' })).toThrow(
    expect.objectContaining({ code: 'tool_unrecognised' }),
  );
});
