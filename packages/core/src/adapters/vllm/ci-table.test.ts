import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readArtifact } from '../index.ts';

const fixture = (name: string) =>
  readFileSync(new URL(`../../../fixtures/vllm-ci-table/${name}`, import.meta.url), 'utf8');
const read = (text: string) => readArtifact(new TextEncoder().encode(text));
const table = (...rows: string[]) =>
  ['| Test name | GPU | Tput (req/s) | Mean TTFT (ms) |', '|:--|:--|--:|--:|', ...rows].join('\n');

test('reads the three tables of a report as latency, throughput and serving', () => {
  const { tool, results, ignored } = read(fixture('0.8-three-tables.md'));
  expect(tool.name).toBe('vllm performance-benchmarks');
  expect(results).toHaveLength(4);
  const [latency, throughput, serving] = results;
  expect(latency?.metrics).toEqual({ e2e_ms_mean: 1250.5, e2e_ms_p50: 1249.25, e2e_ms_p99: 1290.75 });
  expect(latency?.definitions).toEqual({ e2e_ms: 'whole_batch' });
  expect(throughput?.metrics).toEqual({ requests_ok: 200, duration_s: 50, req_s: 4, total_tok_s: 2000 });
  expect(throughput?.load).toEqual({ mode: 'burst', level: 200, regime: 'offline' });
  expect(serving?.metrics).toMatchObject({
    requests_ok: 200,
    req_s: 4,
    output_tok_s: 200,
    ttft_ms_p99: 90.2,
    itl_ms_p99: 21.3,
  });
  // The same tables follow as JSON. Reading both would count each result twice.
  expect(ignored).toEqual(['JSON on line 28']);
});

test('does not derive load or parallelism from the name of a test', () => {
  const serving = read(fixture('0.8-three-tables.md')).results[2];
  expect(serving).toMatchObject({ load: null, extra: { test_name: 'serving_example8B_tp1_sharegpt_qps_4' } });
  expect(serving?.system.parallelism).toEqual({});
  expect(serving?.notes).toContainEqual(expect.objectContaining({ code: 'load_unknown' }));
});

test('reads older tables, with continued columns and seconds in the label', () => {
  const [latency, serving] = read(fixture('0.5-continued-columns.md')).results;
  expect(latency).toMatchObject({ metrics: { e2e_ms_mean: 1250.5, e2e_ms_p99: 1290.75 }, extra: { e2e_ms_p10: 1200 } });
  expect(serving?.metrics).toMatchObject({ ttft_ms_p50: 48.1, tpot_ms_p50: 10, itl_ms_p50: 9.9, itl_ms_p99: 21.3 });
});

test('reads the engine and the rate from an array of rows', () => {
  const [first, second] = read(fixture('0.9-array.json')).results;
  expect(first?.system.engine).toEqual({ value: 'sglang', origin: 'stated' });
  expect([first?.load?.mode, first?.load?.level]).toEqual(['rate', 4]);
  expect(second?.load).toEqual({ mode: 'burst', level: 200 });
});

describe('GPU', () => {
  const system = (words: string) => read(table(`| a | ${words} | 1 | 2 |`)).results[0]?.system;
  test.each([
    ['8xNVIDIA H100 80GB HBM3', 'NVIDIA H100 80GB HBM3', 8],
    ['1xib-Standard_ND96asr_v4 x 2', '1xib-Standard_ND96asr_v4 x 2', undefined],
    ['A100', 'A100', undefined],
  ])('%s', (words, gpu, count) => {
    expect(system(words)?.gpu).toEqual({ value: gpu, origin: 'inferred' });
    expect(system(words)?.gpuCount?.value).toBe(count);
  });
});

test('joins a row that the terminal wrapped', () => {
  const [result] = read(table('| serving_a | 8xH100 |', ' 4.5 | 50 |')).results;
  expect(result?.metrics).toEqual({ req_s: 4.5, ttft_ms_mean: 50 });
});

test('rejects truncated cells and short rows, each with its line', () => {
  expect(() => read(fixture('0.8-wrong-cells.refused.md'))).toThrow('3 errors');
});

test.each([
  ['a table without rows', table(), 'has no rows'],
  ['a row without measured values', table('| a | b | nan | 0 |'), 'nothing was measured'],
  ['a table with other labels', '| Test name | GPU | Score |\n|---|---|---|\n| a | b | 1 |', 'No known tool'],
])('rejects %s', (_, text, reason) => {
  expect(() => read(text)).toThrow(reason);
});
