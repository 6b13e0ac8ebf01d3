import { expect, test } from 'vitest';
import { compareResults, type Result } from './compare-results.ts';

const named = (id: string) => ({ id, name: id });

function result(metrics: Record<string, number>, more: Partial<Result> = {}, version = '1'): Result {
  return {
    kind: 'serving',
    system: {
      label: 'a system',
      model: named('llama-3.1-8b'),
      quantization: named('bf16'),
      gpu: named('h100-sxm'),
      gpu_count: 1,
      gpu_power_limit_w: null,
      engine: { ...named('vllm'), version },
      parallelism: {},
      features: {},
    },
    workload: { id: '1k-1k' },
    scenario: { id: '1k-1k' },
    load: { mode: 'concurrency', level: 8 },
    metrics,
    derived: {},
    definitions: {},
    repeats: null,
    ...more,
  };
}

const speeds = (values: readonly number[], version: string, more: Partial<Result> = {}) =>
  values.map((output_tok_s) => result({ output_tok_s }, more, version));
const verdicts = (fresh: Result[], before: Result[], names?: string[]) =>
  compareResults(fresh, before, names).map(({ metric, change }) => [metric.name, change.verdict]);

test('reports a change beyond the interval, for any engine version', () => {
  const before = speeds([1000, 1004, 996], 'main');
  expect(verdicts(speeds([900, 903, 897], 'branch'), before)).toEqual([['output_tok_s', 'regression']]);
  expect(verdicts(speeds([1100, 1104, 1096], 'branch'), before)).toEqual([['output_tok_s', 'improvement']]);
  expect(verdicts(speeds([1001, 1005, 996], 'branch'), before)).toEqual([['output_tok_s', 'stable']]);
});

test('gives no verdict with a single measurement on one side', () => {
  const [compared] = compareResults(speeds([500], 'branch'), speeds([1000, 1004, 996], 'main'));
  expect(compared?.change.verdict).toBe('insufficient_data');
  expect(compared?.change.reason).toMatch(/3 repetitions on both sides/);
});

test('uses the n and sd of repetitions that a tool averaged', () => {
  const averaged = (mean: number) => [
    result({ output_tok_s: mean }, { repeats: { n: 5, sd: { output_tok_s: mean / 200 }, samples: null } }),
  ];
  const [compared] = compareResults(averaged(900), averaged(1000));
  expect(compared).toMatchObject({ fresh: { n: 5, mean: 900, sd: 4.5 }, change: { verdict: 'regression' } });
});

test('compares only results with the same load and workload', () => {
  const before = speeds([1000, 1004, 996], 'main');
  const load = { mode: 'concurrency', level: 16 };
  expect(verdicts(speeds([10, 11, 12], 'branch', { load }), before)).toEqual([]);
  expect(verdicts(speeds([10, 11, 12], 'branch', { workload: { id: '8k-1k' } }), before)).toEqual([]);
});

test('compares throughput and latency, and reports a higher latency as a regression', () => {
  const both = (ttft_ms_mean: number) =>
    [1, 1.001, 0.999].map((factor) =>
      result({ output_tok_s: 1000 * factor, decode_tok_s: 50 * factor, ttft_ms_mean: ttft_ms_mean * factor }),
    );
  expect(verdicts(both(60), both(50))).toEqual([
    ['output_tok_s', 'stable'],
    ['ttft_ms_mean', 'regression'],
  ]);
  expect(verdicts(both(60), both(50), ['decode_tok_s'])).toEqual([['decode_tok_s', 'stable']]);
});
