import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { bytesOf, faultsOf, llamaBench, native, refusal } from '../testing/artifacts.ts';
import type { Parameters } from './parameters.ts';
import { readSubmission } from './read-submission.ts';

describe('the time of measurement', () => {
  const results = [{ ...native().results[0], measured_at: '2026-01-01T12:00:00Z' }];

  test('is the given one if the artifact has none', () => {
    const [result] = readSubmission(bytesOf(native()), { measured_at: '2026-01-01T12:00:00Z' }).results;
    expect(result?.measuredAt).toBe('2026-01-01T12:00:00Z');
  });

  test('is rejected if it contradicts the artifact', () => {
    const error = refusal(bytesOf(native({ results })), { measured_at: '2026-02-01T12:00:00Z' });
    expect(faultsOf(error)).toEqual(['facts_contradict measured_at']);
  });

  test('may be given in another time zone', () => {
    const [result] = readSubmission(bytesOf(native({ results })), { measured_at: '2026-01-01T13:00:00+01:00' }).results;
    expect(new Date(result?.measuredAt ?? '').toISOString()).toBe('2026-01-01T12:00:00.000Z');
  });
});

describe('a time of measurement in the future', () => {
  const notAfter = Date.parse('2026-01-01T00:00:00Z');
  const at = (measured_at: string) => bytesOf(native({ results: [{ ...native().results[0], measured_at }] }));

  test.each<[string, Uint8Array, Parameters]>([
    ['in the artifact', at('2026-01-01T12:00:00Z'), {}],
    ['in the parameters', bytesOf(native()), { measured_at: '2026-01-01T12:00:00Z' }],
  ])('%s is rejected', (_, bytes, given) => {
    const message = 'measured_at is 2026-01-01T12:00:00';
    expect(() => readSubmission(bytes, given, { notAfter })).toThrow(
      expect.objectContaining({
        faults: [expect.objectContaining({ parameter: 'measured_at', message: expect.stringContaining(message) })],
      }),
    );
  });

  test('is not detected for a past time, or without a limit', () => {
    expect(readSubmission(at('2025-12-31T12:00:00Z'), {}, { notAfter }).results).toHaveLength(1);
    expect(readSubmission(at('2026-01-01T12:00:00Z'), {}).results).toHaveLength(1);
  });
});

describe('the load', () => {
  const block = [
    '============ Serving Benchmark Result ============',
    'Successful requests:                     100',
    'Benchmark duration (s):                  10.00',
    'Total input tokens:                      102400',
    'Total generated tokens:                  25600',
    'Request throughput (req/s):              10.00',
    'Output token throughput (tok/s):         2560.00',
    'Total Token throughput (tok/s):          12800.00',
    '---------------Time to First Token----------------',
    'Mean TTFT (ms):                          62.26',
    'Median TTFT (ms):                        49.91',
    'P99 TTFT (ms):                           135.56',
    '-----Time per Output Token (excl. 1st token)------',
    'Mean TPOT (ms):                          12.50',
    'Median TPOT (ms):                        12.40',
    'P99 TPOT (ms):                           20.00',
    '---------------Inter-token Latency----------------',
    'Mean ITL (ms):                           12.50',
    'Median ITL (ms):                         12.00',
    'P99 ITL (ms):                            40.00',
    '==================================================',
  ].join('\n');
  const given: Parameters = { model: 'llama-3.1-8b', gpu: 'h100-sxm', quantization: 'bf16' };

  test('is unspecified if not stated, and the result is accepted', () => {
    const [result] = readSubmission(bytesOf(block), given).results;
    expect(result?.load).toEqual({ mode: 'unspecified', level: null, run: expect.stringMatching(/^[0-9a-f]{16}$/) });
    expect(result?.status).toBe('accepted');
    expect(result?.derived.user_tok_s).toBe(80);
  });

  test('is the given one if the artifact has none', () => {
    const [result] = readSubmission(bytesOf(block), { ...given, load_mode: 'concurrency', load_level: 32 }).results;
    expect(result?.load).toEqual({ mode: 'concurrency', level: 32 });
  });

  test('has a finding that names the parameters, until they are given', () => {
    const log = readFileSync(new URL('../../fixtures/llmperf/2023-12-individual.json', import.meta.url));
    const findings = (more: Parameters) => readSubmission(log, { ...given, ...more }).results[0]?.findings ?? [];
    expect(findings({})).toContainEqual(
      expect.objectContaining({
        code: 'load_unknown',
        message: expect.stringContaining('Add load_mode and load_level: load_mode=concurrency&load_level=32.'),
      }),
    );
    const found = findings({ load_mode: 'concurrency', load_level: 32 }).map(({ code }) => code);
    expect(found).not.toContain('load_unknown');
  });

  // Half a request in flight would double the speed per user. Only a rate can be fractional.
  test('is rejected with half a request, except for a rate', () => {
    for (const load_mode of ['concurrency', 'burst', 'batch'] as const) {
      expect(refusal(bytesOf(block), { ...given, load_mode, load_level: 0.5 }).faults).toMatchObject([
        { parameter: 'load_level' },
      ]);
    }
    const [result] = readSubmission(bytesOf(block), { ...given, load_mode: 'rate', load_level: 0.5 }).results;
    expect(result?.load).toEqual({ mode: 'rate', level: 0.5 });
  });

  test('is rejected if the mode or the level is missing', () => {
    expect(faultsOf(refusal(bytesOf(block), { ...given, load_mode: 'concurrency' }))).toEqual([
      'parameter_missing load_level',
    ]);
    expect(faultsOf(refusal(bytesOf(block), { ...given, load_level: 32 }))).toEqual(['parameter_missing load_mode']);
  });

  test('is rejected if it contradicts the artifact', () => {
    const agreed = readSubmission(bytesOf(native()), { load_mode: 'concurrency', load_level: 8 }).results;
    expect(agreed[0]?.load).toEqual({ mode: 'concurrency', level: 8 });
    for (const other of [
      { load_mode: 'concurrency', load_level: 16 },
      { load_mode: 'burst', load_level: 8 },
    ] as const) {
      const error = refusal(bytesOf(native()), other);
      expect(error.code).toBe('facts_contradict');
      expect(error.faults).toMatchObject([{ code: 'facts_contradict', parameter: 'load_mode' }]);
    }
  });
});

// GPUs that are not named cannot be counted.
test.each(['unspecified', 'n/a', 'N/A', 'not applicable'])('assumes no GPU count for the GPU %s', (gpu) => {
  const report = native({ system: { model: 'llama-3.1-8b', quantization: 'fp8' } });
  const [result] = readSubmission(bytesOf(report), { gpu }).results;
  expect(result?.system.gpuCount).toBeNull();
  expect(result?.derived).not.toHaveProperty('output_tok_s_per_gpu');
});

describe('the definition of a derived metric', () => {
  const derivedLabel = (base: string, metrics: Record<string, number>, definitions: Record<string, string>) => {
    const results = [{ load: { mode: 'concurrency', level: 8 }, metrics, definitions }];
    const [result] = readSubmission(bytesOf(native({ results })), {}).results;
    return result?.definitions[base];
  };

  // A submitter's label for a missing value must not mark our substitute as measured.
  test('is ours if the submitter labeled a value that was not sent', () => {
    expect(derivedLabel('itl_ms', { tpot_ms_mean: 20 }, { itl_ms: 'per_token' })).toBe('from_tpot');
    expect(derivedLabel('user_tok_s', { tpot_ms_mean: 20 }, { user_tok_s: 'in_process' })).toBe('client');
    expect(derivedLabel('tok_per_joule', { output_tok_s: 380 }, { tok_per_joule: 'at_power_limit' })).toBe('at_tdp');
  });

  test('is that of the submitter if the value was sent', () => {
    expect(derivedLabel('itl_ms', { itl_ms_mean: 19, tpot_ms_mean: 20 }, { itl_ms: 'per_token' })).toBe('per_token');
  });
});

test('the given notes and source override those of the artifact', () => {
  const report = { ...native(), notes: 'of the file', source_url: 'https://example.org/file' };
  expect(readSubmission(bytesOf(report), {})).toMatchObject({
    notes: 'of the file',
    sourceUrl: 'https://example.org/file',
  });
  const given = { notes: 'of the caller', source_url: 'https://example.org/caller' };
  expect(readSubmission(bytesOf(report), given)).toMatchObject({
    notes: 'of the caller',
    sourceUrl: 'https://example.org/caller',
  });
});

describe('the number of GPUs in a log of llama.cpp', () => {
  const log = llamaBench.replace('found 1 CUDA', 'found 3 CUDA');

  test('is read', () => {
    expect(readSubmission(bytesOf(log), {}).results[0]?.system.gpuCount).toBe(3);
  });

  test('is rejected if another is given', () => {
    expect(faultsOf(refusal(bytesOf(log), { gpu_count: 1 }))).toEqual(['facts_contradict gpu_count']);
  });
});
