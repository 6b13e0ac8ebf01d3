import { existsSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readSubmission } from '../../submission/read-submission.ts';
import { readArtifact } from '../index.ts';

const encode = (text: string) => new TextEncoder().encode(text);
const read = (text: string) => readArtifact(encode(text)).results;

/** A row for a header; values in header order. */
function table(row: Record<string, string>): string {
  return `${Object.keys(row).join(',')}\n${Object.values(row).join(',')}\n`;
}

const row = {
  Model: 'Example-8B',
  ISL: '1024',
  OSL: '1024',
  Hardware: 'h200',
  'Hardware Key': 'h200_sglang',
  Framework: 'sglang',
  Precision: 'fp8',
  TP: '2',
  Concurrency: '4',
  Date: '2026-06-02',
  'Throughput/GPU (tok/s)': '400.0',
  'Output Throughput/GPU (tok/s)': '200.0',
  'Input Throughput/GPU (tok/s)': '200.0',
  'Mean TTFT (ms)': '0.2',
  'Mean TPOT (ms)': '0.01',
  'P99 TPOT (ms)': '0.0125',
  'Mean Interactivity (tok/s/user)': '100.0',
  'P99 Interactivity (tok/s/user)': '80.0',
  'Mean E2E Latency (ms)': '9.19',
  Disaggregated: 'false',
  'Num Prefill GPUs': '',
  'Num Decode GPUs': '',
  'Spec Decoding': 'none',
  EP: '1',
};
const times = { ttft_ms_mean: 200, tpot_ms_mean: 10, tpot_ms_p99: 12.5, e2e_ms_mean: 9190 };

test('reads seconds under headers that state ms', () => {
  const [result] = read(table(row));
  expect(result).toMatchObject({
    system: { gpu: { value: 'h200' }, gpuCount: { value: 2 }, engine: { value: 'sglang' } },
    load: { mode: 'concurrency', level: 4 },
    metrics: { ...times, output_tok_s: 400, input_tok_s: 400, total_tok_s: 800, output_tok_s_per_gpu: 200 },
  });
  // An empty cell means missing.
  expect(result?.system.features).toEqual({});
});

test('reads milliseconds if the values are in ms', () => {
  const ms = {
    'Mean TTFT (ms)': '200',
    'Mean TPOT (ms)': '10',
    'P99 TPOT (ms)': '12.5',
    'Mean E2E Latency (ms)': '9190',
  };
  expect(read(table({ ...row, ...ms }))[0]?.metrics).toMatchObject(times);
});

test('detects the unit from the speed per user, never from the size of the times', () => {
  const tpotMs = fc.double({ min: 0.01, max: 2000, noNaN: true });
  fc.assert(
    fc.property(tpotMs, fc.boolean(), (ms, isSeconds) => {
      const cell = String(isSeconds ? ms / 1000 : ms);
      const cells = { 'Mean TPOT (ms)': cell, 'Mean Interactivity (tok/s/user)': String(1000 / ms) };
      expect(read(table({ ...row, ...cells }))[0]?.metrics.tpot_ms_mean).toBeCloseTo(ms, 6);
    }),
  );
});

test.each([
  ['0.0119', true],
  ['0.0121', false],
  ['11.9', true],
  ['12.1', false],
  ['0.5', false],
])('a TPOT of %s at 100 tok/s per user is accepted: %s', (tpot, isRead) => {
  const text = table({ ...row, 'Mean TPOT (ms)': tpot });
  if (isRead) expect(read(text)).toHaveLength(1);
  else expect(() => read(text)).toThrow(/is unclear/);
});

test('rejects times without a speed per user, because their unit is unclear', () => {
  const { 'Mean Interactivity (tok/s/user)': _, 'P99 Interactivity (tok/s/user)': __, ...without } = row;
  expect(() => read(table(without))).toThrow(/is unclear/);
});

test('divides a disaggregated row by its own GPUs', () => {
  // 8 GPUs: 4 x 1000 in, 4 x 200 out, 8 x 600 both.
  const split = { Disaggregated: 'true', 'Num Prefill GPUs': '4', 'Num Decode GPUs': '4' };
  const rates = { 'Throughput/GPU (tok/s)': '600', 'Input Throughput/GPU (tok/s)': '1000' };
  const [result] = read(table({ ...row, ...split, ...rates }));
  expect(result?.metrics).toMatchObject({ input_tok_s: 4000, output_tok_s: 800, total_tok_s: 4800 });
  expect(result?.system.gpuCount?.value).toBe(8);
});

test.each([
  ['a truncated row', table(row).split(',').slice(0, -3).join(','), 'cells, its header has'],
  ['a header without rows', Object.keys(row).join(','), 'has no rows'],
  ['a concurrency of 0', table({ ...row, Concurrency: '0' }), '/conc must be a whole number'],
  ['a decimal comma', table({ ...row, 'Mean TTFT (ms)': '"0,2 s"' }), 'is not a number'],
])('rejects %s', (_, text, reason) => {
  expect(() => read(text)).toThrow(new RegExp(reason));
});

test('reads comments above the header as notes', () => {
  const text = `# Licensed under an example licence\n# Data from https://github.com/example-org/results.\n${table(row)}`;
  expect(readArtifact(encode(text))).toMatchObject({
    notes: 'Licensed under an example licence\nData from https://github.com/example-org/results.',
    sourceUrl: 'https://github.com/example-org/results',
  });
});

const file = new URL(
  '../../../../../../shared/real-results/inferencex__dashboard_dsr1_interactivity.csv',
  import.meta.url,
);

test.skipIf(!existsSync(file))('reads the published table in seconds, without findings about its arithmetic', () => {
  const { results } = readSubmission(readFileSync(file), {});
  expect(results.map(({ load }) => load?.level)).toEqual([4, 8, 16, 32, 64]);
  // 0.15776667634490876 s; 49.173854925265026 tok/s on each of 8 GPUs.
  expect(results[0]?.metrics.ttft_ms_mean).toBeCloseTo(157.766676344909, 9);
  expect(results[0]?.metrics.output_tok_s).toBeCloseTo(393.3908394021202, 9);
  expect(results.flatMap(({ findings }) => findings).filter(({ severity }) => severity === 'violation')).toEqual([]);
});
