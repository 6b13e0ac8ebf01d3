import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readArtifact } from '../index.ts';

const fixture = (name: string) =>
  readFileSync(new URL(`../../../fixtures/tgi-benchmark/${name}`, import.meta.url), 'utf8');
const read = (text: string) => readArtifact(new TextEncoder().encode(text));
// Published in two READMEs of benchmark repositories (mt0-xxl at tensor parallel 4, Llama 2 13B on ROCm).
const merged = fixture('1.0-merged-batch.md');
const six = fixture('1.3-six-batches.md');
// Published in huggingface/tgi-gaudi, pull request 192; some of its rows.
const missing = fixture('2.0-merged-and-missing-cells.md');

test('reads prefill, step time and decode speed of one batch size, and the parameters above', () => {
  const { results, ignored } = read(merged);
  expect(results).toHaveLength(1);
  expect(results[0]?.metrics).toEqual({
    ttft_ms_mean: 958.8,
    ttft_ms_min: 946.7,
    ttft_ms_max: 970.9,
    ttft_ms_p50: 970.9,
    ttft_ms_p90: 970.9,
    ttft_ms_p99: 970.9,
    tpot_ms_mean: 121.88,
    tpot_ms_min: 121.88,
    tpot_ms_max: 121.88,
    decode_tok_s: 131.28,
  });
  expect(results[0]?.definitions).toEqual({
    ttft_ms: 'prefill_only',
    tpot_ms: 'without_first_token',
    decode_tok_s: 'client',
  });
  expect(results[0]).toMatchObject({
    load: { mode: 'batch', level: 16 },
    repeats: { n: 10 },
    scenario: { inputTokens: { value: 500 }, outputTokens: { value: 1000 } },
    system: { model: { value: 'bigscience/mt0-xxl-mt', origin: 'inferred' }, engine: { value: 'tgi' } },
    extra: { decode_ms: 121758.35 },
  });
  // 16 prompts in 958.8 ms are 16.69 per second, despite the label.
  expect(ignored).toContain('Prefill tokens/secs, which counts prompts');
});

test('reads every batch size as a result', () => {
  const { results } = read(six);
  expect(results.map(({ load }) => load?.level)).toEqual([1, 2, 4, 8, 16, 32]);
  expect(results.map(({ metrics }) => metrics.decode_tok_s)).toEqual([17.34, 34.32, 68.26, 134.79, 263.9, 494.93]);
  expect(results[5]?.metrics).toMatchObject({ ttft_ms_mean: 410.07, tpot_ms_mean: 64.65 });
  // Only the command states it.
  expect(results[5]).toMatchObject({
    scenario: { inputTokens: { value: 50, origin: 'context' }, outputTokens: { value: 50 } },
    system: { model: { value: 'TheBloke/Llama-2-13B-Chat-fp16', origin: 'inferred' } },
    repeats: { n: 5 },
  });
});

// The tool prints the last decode run in place of the 90th of 100: 60.62 ms, below the median of 60.63 ms.
test('omits percentiles of decoding', () => {
  expect(read(six).results[4]?.metrics).not.toHaveProperty('tpot_ms_p90');
  expect(read(six).results[4]?.metrics).not.toHaveProperty('tpot_ms_p50');
});

test('reads a merged cell from the row above, and skips a batch that was not measured', () => {
  const { results, ignored } = read(missing);
  expect(results.map(({ load }) => load?.level)).toEqual([1, 2, 4]);
  expect(results[1]?.metrics).toMatchObject({ tpot_ms_mean: 26.01, tpot_ms_min: 25.99, tpot_ms_max: 26.04 });
  expect(results[2]?.metrics).toMatchObject({ tpot_ms_mean: 26, tpot_ms_min: 25.99 });
  expect(ignored).toContain('batch 32, which was not measured');
  expect(results[0]?.notes).toEqual([expect.objectContaining({ code: 'truncated' })]);
});

// Runs with 1, 2, 4 and 8 GPUs in one report would be repetitions of one system.
test('reads the number of GPUs of each run from its heading', () => {
  const runs = `# Tensor Parallel (TP) - 1 GPUs\n\n${missing}\n# Tensor Parallel (TP) - 2 GPUs\n\n${missing.replaceAll('68.19', '40.19')}`;
  const counts = read(runs).results.map(({ system }) => system.gpuCount?.value);
  expect(counts).toEqual([1, 1, 1, 2, 2, 2]);
});

test.each([
  ['a truncated row', fixture('2.0-cut-row.refused.md'), 4],
  ['another unit', merged.replace('958.80 ms', '958.80 us'), 20],
  ['an invalid batch size', merged.replace('| 16         | 958', '| all        | 958'), 20],
])('rejects %s with its line', (_, text, line) => {
  expect(() => read(text)).toThrow(
    expect.objectContaining({
      code: 'artifact_unreadable',
      faults: expect.arrayContaining([expect.objectContaining({ line })]),
    }),
  );
});

test("does not claim Hugging Face's other benchmark", () => {
  const other = readFileSync(
    new URL('../../../fixtures/hf-inference-benchmarker/1.1-sweep-table.txt', import.meta.url),
  );
  expect(() => readArtifact(new Uint8Array(other), { tool: 'tgi-benchmark' })).toThrow(
    expect.objectContaining({ code: 'tool_unrecognised' }),
  );
});
