import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readSubmission } from '../../../submission/read-submission.ts';
import { readArtifact } from '../../index.ts';

const fixture = new URL('../../../../fixtures/vllm-bench-serve-json/0.6-empty-responses.json', import.meta.url);
const record: Record<string, unknown> = JSON.parse(readFileSync(fixture, 'utf8'));
const encode = (changes: object) => new TextEncoder().encode(JSON.stringify({ ...record, ...changes }));
const read = (changes: object = {}) => readArtifact(encode(changes)).results[0];
const codes = (changes: object) => read(changes)?.notes.map(({ code }) => code);

test('counts empty responses as failed, and computes all figures without them', () => {
  const result = read();
  // 6 of 8 responses in 1.25 s.
  expect(result?.metrics).toEqual({
    requests_ok: 6,
    requests_failed: 2,
    duration_s: 1.25,
    input_tokens: 701,
    output_tokens: 53,
    req_s: 4.8,
    output_tok_s: 53 / 1.25,
    total_tok_s: 754 / 1.25,
  });
  const note = { code: 'empty_responses', severity: 'warning', evidence: { empty: 2, completed: 8 } };
  expect(result?.notes).toContainEqual(expect.objectContaining(note));
});

test('agrees with its records', () => {
  const { results } = readSubmission(encode({}), { gpu: 'unspecified' });
  expect(results[0]?.findings.filter(({ severity }) => severity === 'violation')).toEqual([]);
  // The mean of all eight is 89.3 ms.
  expect(results[0]?.metrics.ttft_ms_mean).toBeCloseTo(119.1333);
});

test('keeps stated gaps and times per token if the records do not have them', () => {
  expect(Object.keys(read({ itls: undefined })?.metrics ?? {}).filter((name) => name.includes('_ms_'))).toEqual([
    'tpot_ms_mean',
    'tpot_ms_p50',
    'tpot_ms_sd',
    'tpot_ms_p99',
    'itl_ms_mean',
    'itl_ms_p50',
    'itl_ms_sd',
    'itl_ms_p99',
  ]);
});

test.each([
  ['failed requests that the tool does not count', { completed: 6 }],
  ['requests with an error', { completed: 6, errors: ['', '', 'Timeout', '', '', 'Timeout', '', ''] }],
  ['a count that neither gives', { completed: 7 }],
  ['a model without output', { output_lens: Array(8).fill(0), ttfts: Array(8).fill(0) }],
])('does not change figures for %s', (_, changes) => {
  expect(codes(changes)).not.toContain('empty_responses');
  expect(read(changes)?.metrics.ttft_ms_mean).toBe(record.mean_ttft_ms);
});

test('reads the same in a record of SGLang', () => {
  const { num_prompts: _, ...rest } = record;
  const own = { backend: 'sglang', dataset_name: 'random', random_range_ratio: 0, total_output_tokens_retokenized: 53 };
  const [result] = readArtifact(new TextEncoder().encode(JSON.stringify({ ...rest, ...own }))).results;
  expect(result?.metrics).toMatchObject({ requests_ok: 6, requests_failed: 2, req_s: 4.8 });
  expect(result?.notes).toContainEqual(expect.objectContaining({ code: 'empty_responses' }));
});
