import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readArtifact } from '../index.ts';

const fixture = (name: string) =>
  readFileSync(new URL(`../../../fixtures/mlc-llm-bench/${name}`, import.meta.url), 'utf8');
const read = (text: string, options = {}) => readArtifact(new TextEncoder().encode(text), options);
const printed = fixture('0.18-two-concurrencies.txt');
const csv = fixture('0.18-concurrency.csv');

// 22.03 s for 20 responses of 2239 tokens are 0.91 responses and 101.63 tokens per second.
test('reads a printed block, with the concurrency that is logged before it and the facts of the command', () => {
  const { results } = read(printed);
  expect(results).toHaveLength(2);
  expect(results[0]).toMatchObject({
    system: {
      model: { value: 'example-org/Example-8B-q4f16_1-MLC', origin: 'inferred' },
      engine: { value: 'mlc-llm', origin: 'context' },
      gpuCount: { value: 1, origin: 'stated' },
    },
    scenario: {
      inputTokens: { value: 256 },
      outputTokens: { value: 128 },
      dataset: { value: 'sharegpt' },
      lengths: { inputTokens: 254.2, outputTokens: 111.95 },
    },
    load: { mode: 'concurrency', level: 1 },
    metrics: {
      ...{ requests_ok: 20, requests_failed: 0, duration_s: 22.03, input_tokens: 5084, output_tokens: 2239 },
      ...{ req_s: 0.91, input_tok_s: 230.77, output_tok_s: 101.63 },
      ...{ ttft_ms_mean: 96.19, ttft_ms_sd: 4.86, ttft_ms_p99: 103.42, tpot_ms_mean: 9.06, e2e_ms_mean: 1101.53 },
    },
  });
  expect(results[1]?.load).toEqual({ mode: 'concurrency', level: 8 });
  expect(results[1]?.metrics).toMatchObject({ requests_ok: 62, requests_failed: 2, tpot_ms_p50: 11.83 });
});

// The tool divides the latency of a request by its tokens: 1101.53 ms / 111.95 is about 9.85 ms.
test('does not take the latency per token for gaps between tokens', () => {
  const [result] = read(printed).results;
  expect(Object.keys(result?.metrics ?? {}).filter((name) => name.startsWith('itl'))).toEqual([]);
  expect(result?.extra.e2e_per_output_token_ms_mean).toBe(9.85);
});

test('reads the CSV with the figures of the blocks', () => {
  const rows = read(csv).results;
  const blocks = read(printed).results;
  for (const [index, { metrics, load }] of rows.entries()) {
    expect(load).toEqual(blocks[index]?.load);
    for (const [name, value] of Object.entries(metrics))
      expect([name, Object.entries(blocks[index]?.metrics ?? {}).find(([each]) => each === name)?.[1]]).toEqual([
        name,
        expect.closeTo(value, 1),
      ]);
  }
  expect(rows[0]?.metrics.e2e_ms_mean).toBeCloseTo(1101.5346689, 6);
  expect(rows[0]?.metrics.ttft_ms_sd).toBeCloseTo(4.85865355, 6);
});

test('reads a rate, and an infinite one as a burst of all requests', () => {
  const rates = fixture('0.18-request-rate.csv');
  expect(read(rates).results.map(({ load }) => load)).toEqual([
    { mode: 'rate', level: 2, burstiness: 1 },
    { mode: 'burst', level: 40 },
  ]);
  const command =
    '$ python -m mlc_llm.bench --tokenizer example --per-gpu-workload --request-rate 2,inf --num-gpus 2\n';
  expect(read(command + rates).results[0]?.load).toEqual({ mode: 'rate', level: 4, burstiness: 1 });
});

test('marks a block that was cut, and omits its last figure', () => {
  const cut = printed.slice(0, printed.indexOf('P25:', printed.indexOf('End-to-End')) + 46);
  const [result] = read(cut).results;
  expect(result?.notes.map(({ code }) => code)).toContain('truncated');
  expect(result?.metrics.e2e_ms_mean).toBe(1101.53);
  expect(result?.metrics).not.toHaveProperty('e2e_ms_p50');
});

// Without streaming the time to the first token is 0.
test('takes responses without streaming for times per token that include the first', () => {
  const [head = '', first = ''] = csv.split('\n');
  const columns = head.split(',');
  const cells = first.split(',').map((cell, index) => (columns[index]?.startsWith('time_to_first') ? '0.0' : cell));
  const [result] = read(`${head}\n${cells.join(',')}\n`).results;
  expect(result?.definitions.tpot_ms).toBe('with_first_token');
  expect(result?.metrics).not.toHaveProperty('ttft_ms_mean');
});

test.each([
  ['a cut row', fixture('0.18-row-cut.refused.csv'), 'row_unreadable'],
  ['text for a number', csv.replace('22.030693378840397', 'fast'), 'cell_unreadable'],
  [
    'a run without a response',
    printed.replace(/Completed requests: +20/, 'Completed requests:  0'),
    'nothing_measured',
  ],
])('rejects %s', (_, text, code) => {
  expect(() => read(text)).toThrow(
    expect.objectContaining({ faults: expect.arrayContaining([expect.objectContaining({ code })]) }),
  );
});

test('reads the blocks and the CSV of one run once, from the CSV', () => {
  const { results, ignored } = read(`${printed}\n${csv}`);
  expect(results.map(({ load }) => load)).toEqual([1, 8].map((level) => ({ mode: 'concurrency', level })));
  expect(results[0]?.metrics.e2e_ms_mean).toBeCloseTo(1101.5346689, 6);
  expect(results[0]?.system.model?.value).toBe('example-org/Example-8B-q4f16_1-MLC');
  expect(ignored).toContain('the block on line 4: the CSV has its figures with more digits');
  // Another run with the same number of tokens has another duration.
  expect(read(`${printed.replace('22.03', '22.05')}\n${csv}`).results).toHaveLength(3);
});
