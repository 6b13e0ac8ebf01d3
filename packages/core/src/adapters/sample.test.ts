import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readArtifact } from './index.ts';

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

const folder = new URL('../../../db/sample/', import.meta.url);
const manifest: Entry[] = JSON.parse(readFileSync(new URL('manifest.json', folder), 'utf8'));
const read = (file: string) => readArtifact(new Uint8Array(readFileSync(new URL(file, folder))));
const count: Record<string, number> = { sglang: 147, 'llama-bench': 2, vllm: 1, 'attention-gym': 21, native: 6 };

describe.each(manifest)('$file', ({ file }) => {
  const group = file.split('/')[0] ?? '';

  test('is recognised, with every result it holds', () => {
    expect(read(file).results).toHaveLength(count[group] ?? Number.NaN);
  });

  test.runIf(group === 'llama-bench')('tells model, quantization and GPU itself', () => {
    for (const { system } of read(file).results) {
      expect(system.model).not.toBeNull();
      expect(system.quantization).not.toBeNull();
      expect(system.gpu?.value).toBe('NVIDIA RTX PRO 6000 Blackwell Workstation Edition');
    }
  });
});

test('the manifest lists all 22 artifacts once', () => {
  expect(new Set(manifest.map(({ file }) => file)).size).toBe(22);
  expect(manifest).toHaveLength(22);
});

/**
 * Mean and sample standard deviation in exact arithmetic: the runs have two decimals, so hundredths are whole numbers,
 * and halves are rounded away from zero as no floating-point sum could be trusted to.
 */
function printed(values: readonly number[]): { mean: string; sd: string } {
  const hundredths = values.map((value) => BigInt(Math.round(value * 100)));
  const n = BigInt(hundredths.length);
  const sum = hundredths.reduce((total, value) => total + value, 0n);
  const mean = (2n * sum + n) / (2n * n);
  // n(n - 1) sd² = n Σx² - (Σx)²; the largest whole r with (2r - 1)² <= 4 sd² is sd rounded half up.
  const spread = n * hundredths.reduce((total, value) => total + value * value, 0n) - sum * sum;
  let sd = 0n;
  while ((2n * sd + 1n) ** 2n * n * (n - 1n) <= 4n * spread) sd++;
  const format = (value: bigint) => `${value / 100n}.${String(value % 100n).padStart(2, '0')}`;
  return { mean: format(mean), sd: format(sd) };
}

const summary: SummaryRow[] = JSON.parse(readFileSync(new URL('../../fixtures/sample/sglang-summary.json', import.meta.url), 'utf8'));
const runs = read('sglang/result.jsonl').results;

// The table that was published beside the runs: if a run were read wrongly, its row would not come out.
describe.each(summary)('$model at batch $batch, $input to $output', (row) => {
  const own = runs.filter(
    ({ load, scenario, extra }) =>
      load?.level === row.batch &&
      scenario.inputTokens?.value === row.input &&
      scenario.outputTokens?.value === row.output &&
      String(extra.run_name).replace(/_run\d$/, '') === row.model,
  );

  test('three runs give the printed means and standard deviations', () => {
    expect(own).toHaveLength(row.runs);
    const latency = printed(own.map(({ metrics }) => (metrics.e2e_ms_mean ?? Number.NaN) / 1000));
    const decode = printed(own.map(({ metrics }) => metrics.decode_tok_s ?? Number.NaN));
    const total = printed(own.map(({ metrics }) => metrics.total_tok_s ?? Number.NaN));
    expect({ latency, decode, total }).toEqual({
      latency: { mean: row.latency[0], sd: row.latency[1] },
      decode: { mean: row.output_throughput[0], sd: row.output_throughput[1] },
      total: { mean: row.overall_throughput[0], sd: row.overall_throughput[1] },
    });
  });

  test('they are repetitions 1 to 3 of one recipe', () => {
    expect(own.map(({ repetition }) => repetition)).toEqual([1, 2, 3]);
    expect(new Set(own.map(({ system }) => system.quantization?.value)).size).toBe(1);
  });
});
