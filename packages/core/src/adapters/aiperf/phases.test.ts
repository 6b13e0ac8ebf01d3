import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readArtifact } from '../index.ts';

const report = JSON.parse(readFileSync(new URL('../../../fixtures/aiperf/0.10-phases.json', import.meta.url), 'utf8'));
const read = (value: unknown) => readArtifact(new TextEncoder().encode(JSON.stringify(value))).results[0];
const withConfig = (changes: object) => ({ ...report, input_config: { ...report.input_config, ...changes } });

// A part of a report in github.com/anud18/qwen36-vllm-aiperf-benchmark
test('reads the model and the load of the measured phase', () => {
  expect(read(report)).toMatchObject({
    system: { model: { value: 'qwen3.6-nvfp4', origin: 'stated' } },
    scenario: { inputTokens: null, outputTokens: null, lengths: { inputTokens: 3761.3125 } },
    load: { mode: 'concurrency', level: 16 },
    metrics: { requests_ok: 96, duration_s: 44.52261098, output_tok_s: 1172.145991694937 },
    notes: [],
  });
});

test.each([
  [
    { type: 'poisson', rate: 2.2, concurrency: 64 },
    { mode: 'rate', level: 2.2, burstiness: 1, maxConcurrency: 64 },
  ],
  [
    { type: 'gamma', rate: 2.2, smoothness: 0.5 },
    { mode: 'rate', level: 2.2, burstiness: 0.5, maxConcurrency: null },
  ],
  [
    { type: 'constant', rate: 2.2 },
    { mode: 'rate', level: 2.2, burstiness: null, maxConcurrency: null },
  ],
])('reads the phase %j', (phase, load) => {
  expect(read(withConfig({ phases: [{ name: 'profiling', requests: 96, ...phase }] }))?.load).toEqual(load);
});

test.each([
  [[{ name: 'profiling', type: 'fixed_schedule' }]],
  [[{ name: 'profiling', type: 'user_centric', users: 4, rate: 2 }]],
  [[{ name: 'profiling', type: 'concurrency', concurrency: 16, timing_mode: 'agentic_replay' }]],
  [[{ name: 'profiling', type: 'concurrency', concurrency: 16, concurrency_ramp: { duration: 30 } }]],
  [[{ name: 'profiling', type: 'poisson', rate_series: { points: [] } }]],
  [
    [
      { name: 'low', kind: 'profiling', type: 'concurrency', concurrency: 1 },
      { name: 'high', kind: 'profiling', type: 'concurrency', concurrency: 16 },
    ],
  ],
  [[{ name: 'warmup', type: 'concurrency', concurrency: 16 }]],
])('states no load for the phases %j', (phases) => {
  expect(read(withConfig({ phases }))).toMatchObject({ load: null, notes: [{ code: 'load_unknown' }] });
});

test('reads the lengths of generated prompts', () => {
  const prompts = { isl: { value: 512 }, osl: { mean: 128, stddev: 10 } };
  const result = read(withConfig({ datasets: [{ name: 'main', type: 'synthetic', prompts }] }));
  expect(result?.scenario).toMatchObject({
    inputTokens: { value: 512, origin: 'stated' },
    outputTokens: { value: 128, origin: 'inferred' },
  });
});
