import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readArtifact } from '../index.ts';

interface Entry {
  file: string;
  parameters: Record<string, string>;
  about: string;
}

interface SummaryRow {
  model: string;
  batch: number;
  input: number;
  output: number;
  runs: number;
  latency: [string, string];
  output_throughput: [string, string];
  overall_throughput: [string, string];
}

const folder = new URL('../../../../db/sample/', import.meta.url);
const manifest: Entry[] = JSON.parse(readFileSync(new URL('manifest.json', folder), 'utf8'));
const read = (file: string) => readArtifact(new Uint8Array(readFileSync(new URL(file, folder))));
const count: Record<string, number> = { sglang: 147, 'llama-bench': 2, vllm: 1, 'attention-gym': 21, native: 6 };

const groupOf = (file: string) => file.split('/')[0] ?? '';

test.each(manifest)('reads every result of $file', ({ file }) => {
  expect(read(file).results).toHaveLength(file.includes('-sft-') ? 1 : (count[groupOf(file)] ?? Number.NaN));
});

test.each(manifest.filter(({ file }) => groupOf(file) === 'llama-bench'))(
  'reads model, quantization and GPU from $file',
  ({ file }) => {
    for (const { system } of read(file).results) {
      expect(system.model).not.toBeNull();
      expect(system.quantization).not.toBeNull();
      expect(system.gpu?.value).toBe('NVIDIA RTX PRO 6000 Blackwell Workstation Edition');
    }
  },
);

test('lists all 23 artifacts once in the manifest', () => {
  expect(new Set(manifest.map(({ file }) => file)).size).toBe(23);
  expect(manifest).toHaveLength(23);
});

/** Figures are stored as integers in units of 1 / this number, so that sums are exact. */
const parts = 10n ** 14n;

/**
 * Mean and sample standard deviation as printed, with two decimals and halves rounded away from zero, in exact arithmetic.
 * Some means end in 5, and a floating-point sum could round either way.
 */
function printed(values: readonly bigint[]): [mean: string, sd: string] {
  const n = BigInt(values.length);
  const sum = values.reduce((total, value) => total + value, 0n);
  const unit = parts / 100n;
  const mean = (2n * sum + n * unit) / (2n * n * unit);
  // n(n - 1) sd² = n Σx² - (Σx)²; sd rounds to the largest whole r with (2r - 1)² <= 4 sd².
  const spread = n * values.reduce((total, value) => total + value * value, 0n) - sum * sum;
  let sd = 0n;
  while ((2n * sd + 1n) ** 2n * n * (n - 1n) * unit ** 2n <= 4n * spread) sd++;
  const format = (value: bigint) => `${value / 100n}.${String(value % 100n).padStart(2, '0')}`;
  return [format(mean), format(sd)];
}

/** A figure with two decimals. */
const exact = (value: number | undefined) => (BigInt(Math.round((value ?? Number.NaN) * 100)) * parts) / 100n;

const summary: SummaryRow[] = JSON.parse(
  readFileSync(new URL('../../../fixtures/sample/sglang-summary.json', import.meta.url), 'utf8'),
);
const runs = read('sglang/result.jsonl').results;

// The table published with the runs. A misread run would change its row.
describe.each(summary)('$model at batch $batch, $input to $output', (row) => {
  const own = runs.filter(
    ({ load, scenario, extra }) =>
      load?.level === row.batch &&
      scenario.inputTokens?.value === row.input &&
      scenario.outputTokens?.value === row.output &&
      String(extra.run_name).replace(/_run\d$/, '') === row.model,
  );

  test('reproduces the printed means and standard deviations of three runs', () => {
    expect(own).toHaveLength(row.runs);
    const decode = own.map(({ metrics }) => exact(metrics.decode_tok_s));
    const total = own.map(({ metrics }) => exact(metrics.total_tok_s));
    expect(printed(decode)).toEqual(row.output_throughput);
    expect(printed(total)).toEqual(row.overall_throughput);
  });

  // The runs print latency with two decimals, but the table averages unrounded ones: 20 of 49 rows differ in the last digit.
  // The overall rate is tokens / latency with more digits, and it reproduces every row.
  test('reproduces the averaged latency from the overall rate', () => {
    const tokens = BigInt(row.batch * (row.input + row.output));
    const latency = own.map(({ metrics }) => (tokens * parts * parts) / exact(metrics.total_tok_s));
    expect(printed(latency)).toEqual(row.latency);
    expect(own.map(({ metrics }) => metrics.e2e_ms_mean)).toEqual(
      latency.map((seconds) => Number((seconds * 200n + parts) / (2n * parts)) * 10),
    );
  });

  test('reads the runs as repetitions 1 to 3 of one recipe', () => {
    expect(own.map(({ repetition }) => repetition)).toEqual([1, 2, 3]);
    expect(new Set(own.map(({ system }) => system.quantization?.value)).size).toBe(1);
  });
});
