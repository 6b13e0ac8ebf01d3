import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readArtifact } from '../index.ts';

const fixture = (name: string) => readFileSync(new URL(`../../../fixtures/lmcache-${name}`, import.meta.url), 'utf8');
const read = (text: string, options = {}) => readArtifact(new TextEncoder().encode(text), options).results;
const documents = fixture('long-doc-qa/2025-10-two-servers.md');
const rounds = fixture('multi-round-qa/2025-11-two-servers.md');

// https://github.com/LMCache/LMCache/issues/1741
test('reads each round of documents as a result, with its load from the command', () => {
  const results = read(documents);
  expect(results.map(({ scenario }) => scenario.dataset?.value)).toEqual([
    'long_doc_qa warmup round',
    'long_doc_qa query round',
    'long_doc_qa warmup round',
    'long_doc_qa query round',
  ]);
  expect(results[1]).toMatchObject({
    system: { model: { value: 'Llama-3.3-70B-Instruct', origin: 'context' } },
    scenario: {
      inputTokens: { value: 10000, origin: 'inferred' },
      outputTokens: { value: 100, origin: 'inferred' },
    },
    load: { mode: 'concurrency', level: 4 },
    metrics: { ttft_ms_mean: 2822, duration_s: 91.724, requests_ok: 50 },
    definitions: { ttft_ms: 'send_to_first_token' },
    notes: [{ code: 'prefix_cache_hits' }],
  });
  expect(results[0]?.notes).toEqual([]);
});

// LMCache's guide to sharing caches between instances
test('has an unknown load without the command', () => {
  const [warmup, query] = read(fixture('long-doc-qa/2026-successful.txt'));
  expect(warmup).toMatchObject({ load: null, metrics: { ttft_ms_mean: 2286, requests_ok: 50 } });
  expect(query?.metrics).toEqual({ ttft_ms_mean: 2028, duration_s: 38.323, requests_ok: 50 });
  const failed = fixture('long-doc-qa/2026-successful.txt').replace(
    'Query round successful prompt count: 50',
    'Query round successful prompt count: 47',
  );
  expect(read(failed)[1]?.metrics).toMatchObject({ requests_ok: 47, requests_failed: 3 });
});

// https://github.com/LMCache/LMCache/issues/1938
test('reads a rate that was reached as the load', () => {
  const [first, second] = read(rounds);
  expect(first).toMatchObject({
    load: { mode: 'rate', level: 3 },
    metrics: {
      req_s: 2.9334,
      input_tok_s: 137.87,
      output_tok_s: 2708.6721,
      user_tok_s: 127.4874,
      ttft_ms_mean: 62,
      duration_s: 107.04,
    },
    definitions: { ttft_ms: 'send_to_first_token', user_tok_s: 'client' },
    extra: { multi_turn: true, request_rate: 3, requests_unfinished: 0 },
  });
  expect(second?.metrics.output_tok_s).toBe(2718.7668);
});

// https://github.com/vllm-project/production-stack/issues/425
test('has an unknown load if the rate was not reached', () => {
  const [result] = read(fixture('multi-round-qa/2025-05-overloaded.txt'));
  expect(result?.load).toBeNull();
  expect(result?.metrics).toMatchObject({ req_s: 1.3203, ttft_ms_mean: 47595.2 });
  expect(result?.notes.map(({ code }) => code)).toEqual(['multi_turn', 'load_unknown']);
});

// https://github.com/LMCache/LMBenchmark/issues/27
test('treats zeros and infinity as missing', () => {
  const [result] = read(fixture('multi-round-qa/2025-06-summary-file.txt'));
  expect(result?.metrics).toEqual({ req_s: 1.3941, input_tok_s: 29451.9382, output_tok_s: 1.3941 });
  expect(result?.notes.map(({ code }) => code)).toContain('zero_is_missing');
});

test('reads the complete lines of a truncated summary', () => {
  const [result] = read(rounds.slice(0, rounds.indexOf('2708.6721') + 6));
  expect(result?.metrics).toEqual({ req_s: 2.9334, input_tok_s: 137.87 });
});

test.each([
  'Query round mean TTFT: 5ms\nQuery round time: 3s\n',
  'QPS: 42.10\nProcessing speed: fast\n',
  'QPS: 3.0000 reqs/s\nTPS: 5.00\n',
])('does not claim %j', (text) => {
  for (const tool of ['lmcache-long-doc-qa', 'lmcache-multi-round-qa'])
    expect(() => read(text, { tool })).toThrow(expect.objectContaining({ code: 'tool_unrecognised' }));
});

// The file that multi-round-qa.py writes. Composed.
const csv = `prompt_tokens,generation_tokens,ttft,generation_time,user_id,question_id,launch_time,finish_time
1130,100,0.0712,1.9312,1,1,1738950000.12,1738950002.1224
1260,100,0.0612,1.9012,1,2,1738950010.12,1738950012.0824
1390,98,0.0652,1.9112,2,1,1738950020.12,1738950022.0964
`;

test('reads the requests of a CSV of rounds', () => {
  const [result, ...others] = read(csv);
  expect(others).toEqual([]);
  expect(result).toMatchObject({
    load: null,
    metrics: { requests_ok: 3, duration_s: 21.9764 },
    extra: { multi_turn: true },
    lines: { from: 1, to: 4 },
  });
  expect(result?.requests?.[2]).toMatchObject({
    ...{ sentS: 20, inputTokens: 1390, outputTokens: 98, ttftMs: 65.2, e2eMs: 1976.4, error: null },
  });
  expect(result?.notes.map(({ code }) => code)).toEqual(['multi_turn', 'load_unknown']);
});

test('reads the printed summary instead of the CSV of the same run, and names an unreadable cell', () => {
  expect(read(`${rounds}\n${csv}`)).toHaveLength(read(rounds).length);
  expect(() => read(csv.replace('0.0612', 'abc'))).toThrow(
    expect.objectContaining({ faults: [expect.objectContaining({ code: 'cell_unreadable', line: 3 })] }),
  );
});
