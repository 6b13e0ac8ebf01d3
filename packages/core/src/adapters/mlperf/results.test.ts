import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readSubmission } from '../../submission/read-submission.ts';
import { inferMlperfDataset, mlperfDataset } from './dataset.ts';

const text = readFileSync(new URL('../../../fixtures/mlperf-results/5.1-entries.jsonl', import.meta.url), 'utf8');
const { results } = readSubmission(new TextEncoder().encode(text), {});
const [interactive, nodes, mixed, processor, open, stream, virtual, long] = results;

test('gives Interactive and Server separate workloads, though both logs state Server', () => {
  expect(interactive).toMatchObject({ scenario: { id: 'mlperf-llama2-70b-interactive' }, load: { mode: 'rate' } });
  expect(nodes).toMatchObject({ scenario: { id: 'mlperf-llama2-70b-99.9' }, load: { mode: 'rate' } });
});

test('converts nanoseconds to milliseconds without rounding', () => {
  expect(interactive?.metrics).toMatchObject({ output_tok_s: 8840.42, ttft_ms_p99: 435.9761, tpot_ms_mean: 32.10249 });
});

test('multiplies accelerators by nodes, and adds those of two kinds', () => {
  expect(interactive?.system).toMatchObject({ gpu: { id: 'mi300x' }, gpuCount: 8 });
  expect(nodes?.system.gpuCount).toBe(8 * Number(nodes?.system.features.nodes));
  expect(mixed?.system).toMatchObject({ gpu: { id: 'mi300x-mi325x' }, gpuCount: 48 });
  expect(virtual?.system).toMatchObject({ gpu: { id: 'h200-sxm' }, gpuCount: 8, features: { virtualized: true } });
});

test('reads the processors of a system without accelerators, with the count in the name', () => {
  expect(processor?.system).toMatchObject({
    gpu: { id: 'xeon-6787p' },
    gpuCount: 2,
    quantization: { id: 'w8a8-int8' },
  });
});

test('reads the stated model and format in the open division', () => {
  expect(open?.system).toMatchObject({
    model: { id: 'llama-3.1-70b' },
    quantization: { id: 'fp8' },
    engine: { id: 'vllm', version: '0.9.2' },
    features: { division: 'open' },
  });
  expect(open).toMatchObject({ scenario: { id: 'mlperf-llama2-70b-99.9-open' }, load: { regime: 'offline' } });
});

test('reads a single stream of the edge suite', () => {
  expect(stream).toMatchObject({
    scenario: { id: 'mlperf-llama3.1-8b-edge' },
    load: { mode: 'concurrency', level: 1 },
    system: { gpu: { id: 'arc-pro-b60-dual' }, gpuCount: 1, quantization: { id: 'w4a16' } },
  });
});

test('omits a mean that overflowed in LoadGen', () => {
  expect(long?.metrics.e2e_ms_mean).toBeUndefined();
  expect(long?.findings).toContainEqual(expect.objectContaining({ code: 'mean_overflown' }));
  expect(long?.status).toBe('accepted');
});

test('cites each entry as MLCommons asks, and does not mark an upload as imported', () => {
  expect(interactive).toMatchObject({ trust: 'self_reported' });
  expect(interactive?.origin).toBeUndefined();
  expect(interactive?.source).toMatchObject({
    publisher: 'MLCommons',
    title: 'MLPerf Inference v5.1, Closed',
    entry: '5.1-0001, AMD',
    url: expect.stringMatching(/^https:\/\/github\.com\/mlcommons\//),
  });
  expect(open?.source?.title).toBe('MLPerf Inference v5.1, Open');
});

test.each([
  ['Server', 450, 40, 'mlperf-llama2-70b-interactive'],
  ['Server', 2000, 200, 'mlperf-llama2-70b'],
  ['Offline', 450, 40, 'mlperf-llama2-70b'],
])('infers the data set of a log from its limits: %s, %s ms, %s ms', (scenario, ttft, tpot, dataset) => {
  const extra = {
    performance_sample_count: 24576,
    limit_ttft_ms: ttft,
    limit_tpot_ms: tpot,
    mlperf_scenario: scenario,
  };
  expect(inferMlperfDataset(extra)).toEqual({ value: dataset, origin: 'inferred' });
});

test.each([
  ['llama2-70b-99.9', 'Interactive', 'mlperf-llama2-70b-99.9-interactive'],
  ['llama2-70b-99', 'Offline', 'mlperf-llama2-70b'],
  ['llama3.1-8b-edge', 'SingleStream', 'mlperf-llama3.1-8b-edge'],
  ['gptj-99', 'Server', 'mlperf-gptj'],
  ['gpt-oss-120b', 'Server', 'mlperf-gpt-oss'],
  ['resnet', 'Server', null],
])('maps the benchmark %s, %s, to the workload %s', (benchmark, scenario, dataset) => {
  expect(mlperfDataset(benchmark, scenario)).toBe(dataset);
});
