import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readArtifact } from '../index.ts';

const fixture = (name: string) => readFileSync(new URL(`../../../fixtures/${name}`, import.meta.url), 'utf8');
const bytes = (text: string) => new TextEncoder().encode(text);
const read = (text: string) => readArtifact(bytes(text)).results;
const server = fixture('mlperf-loadgen/5.1-server.txt');
const offline = fixture('mlperf-loadgen/4.1-offline-invalid.txt');

test('Server: reads rates, and latencies in ns from the scheduled time', () => {
  const [result] = read(server);
  expect(result?.metrics).toMatchObject({
    req_s: 80,
    output_tok_s: 24000,
    e2e_ms_mean: 30500,
    e2e_ms_p99: 91500,
    ttft_ms_mean: 600,
    ttft_ms_p99: 1800,
    tpot_ms_mean: 100,
    tpot_ms_p50: 90,
  });
  expect(result?.definitions).toEqual({
    ttft_ms: 'schedule_to_first_token',
    tpot_ms: 'without_first_token',
    e2e_ms: 'request',
  });
  expect(result?.load).toEqual({ mode: 'rate', level: 83.5, burstiness: 1 });
  expect(result?.extra).toMatchObject({ e2e_ms_p999: 106750, limit_ttft_ms: 2000, scheduled_req_s: 83.9 });
  expect(result?.notes).toEqual([]);
});

test('reads a file without model and hardware, and omits the name of the system under test', () => {
  const [result] = read(server.replace('PySUT', 'box-17'));
  expect(result?.system).toMatchObject({ model: null, gpu: null, engine: null });
  expect(JSON.stringify(result)).not.toContain('box-17');
});

test('Offline: reads a burst with latencies from the start of the run, and the reasons of an invalid run', () => {
  const [result] = read(offline);
  expect(result?.load).toEqual({ mode: 'burst', level: 24576, regime: 'offline' });
  // No other benchmark has this number of samples.
  expect(result?.scenario.dataset).toEqual({ value: 'mlperf-llama2-70b', origin: 'inferred' });
  expect(result?.definitions).toEqual({ e2e_ms: 'from_run_start' });
  expect(result?.metrics).toMatchObject({ req_s: 92.5, output_tok_s: 27750 });
  expect(result?.extra).toMatchObject({ mlperf_result: 'INVALID', tokens_inferred: true });
  expect(result?.notes).toEqual([
    expect.objectContaining({
      code: 'run_invalid',
      severity: 'warning',
      message: expect.stringMatching(/INVALID\. Min duration satisfied: NO; Increase expected QPS/),
    }),
  ]);
});

test('reads two summaries in one file: SingleStream, and an old Server run with its scheduled rate', () => {
  const [stream, old] = read(fixture('mlperf-loadgen/3.1-two-runs.txt'));
  expect(stream?.load).toEqual({ mode: 'concurrency', level: 1 });
  expect(stream?.metrics).toMatchObject({ req_s: 0.99, e2e_ms_p90: 2000 });
  expect(old?.metrics.req_s).toBe(83.9);
});

test.each([
  ['an accuracy run', fixture('mlperf-loadgen/5.1-accuracy.refused.txt'), 'nothing_measured', 2],
  ['AccuracyOnly', server.replace('PerformanceOnly', 'AccuracyOnly'), 'nothing_measured', 6],
  ['a truncated summary', server.slice(0, server.indexOf('Mode')), 'block_cut', 1],
  ['a summary without figures', server.slice(0, server.indexOf('Completed')), 'block_cut', 1],
  ['a truncated figure', server.replace(': 80.00', ': 80.…'), 'value_unreadable', 7],
  ['an unknown scenario', server.replace(': Server', ': Sideways'), 'value_unreadable', 5],
])('rejects %s', (_, text, code, line) => {
  expect(() => read(text)).toThrow(
    expect.objectContaining({ code: 'artifact_unreadable', faults: [expect.objectContaining({ code, line })] }),
  );
});

test.each(['2 warnings encountered. 3 errors were not.', 'No errors encountered during test.'])(
  'does not claim %j',
  (text) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ code: 'tool_unrecognised' }));
  },
);

// All digits of a nanosecond are kept.
test('converts nanoseconds to milliseconds without rounding', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e13 }), (ns) => {
      const text = server.replace(/^(Mean latency \(ns\)\s*: )\d+$/m, `$1${ns}`);
      expect(read(text)[0]?.metrics.e2e_ms_mean).toBe(Number(`${ns}e-6`));
    }),
    { numRuns: 50 },
  );
});

test('reads the decisive percentile of a summary without statistics', () => {
  const lines = ['MLPerf Results Summary', 'SUT name : PySUT', 'Scenario : SingleStream', 'Mode     : PerformanceOnly'];
  const [result] = read([...lines, '90th percentile latency (ns) : 8434934462', 'Result is : VALID'].join('\n'));
  expect(result?.metrics).toEqual({ e2e_ms_p90: 8434.934462 });
});
