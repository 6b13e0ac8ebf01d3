import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readArtifact } from '../index.ts';

const fixture = (name: string) => readFileSync(new URL(`../../../fixtures/${name}`, import.meta.url), 'utf8');
const bytes = (text: string) => new TextEncoder().encode(text);
const read = (text: string) => readArtifact(bytes(text)).results;
const glm = fixture('aisbench/2026-03-glm5-config.txt');
const hunyuan = fixture('aisbench/2025-12-hunyuan.txt');

// Figures of "quick_start_GLM5.md" of jd-opensource/xllm.
test('reads both grids as one result, with the model from the configuration above', () => {
  const { tool, results, ignored } = readArtifact(bytes(glm));
  expect(tool.name).toBe('aisbench');
  expect(results).toHaveLength(1);
  expect(results[0]).toMatchObject({
    system: { model: { value: 'GLM-5-final-w8a8', origin: 'context' }, engine: null },
    scenario: { lengths: { inputTokens: 32744.3, outputTokens: 2048 }, dataset: { value: 'synthetic' } },
    load: { mode: 'concurrency', level: 1 },
    metrics: {
      duration_s: 771.4443698,
      requests_ok: 10,
      requests_failed: 0,
      req_s: 0.013,
      input_tokens: 327443,
      output_tokens: 20480,
      output_tok_s: 26.5476,
      total_tok_s: 451.0021,
      ttft_ms_mean: 3221.8,
      ttft_ms_p99: 3363.2,
      tpot_ms_p50: 36.8,
      itl_ms_mean: 88,
      e2e_ms_mean: 77142.7,
    },
    definitions: {
      ttft_ms: 'send_to_first_token',
      tpot_ms: 'without_first_token',
      itl_ms: 'per_chunk',
      e2e_ms: 'request',
    },
    extra: { prefill_tok_s_per_request: 10163.3049, concurrency: 1 },
  });
  expect(ignored).toEqual(['OutputTokenThroughput']);
});

// Figures of vllm-ascend's tutorial of Hunyuan-A13B-Instruct.
test('reads a concurrency equal to the number of requests as a burst', () => {
  const [result] = read(hunyuan);
  expect(result).toMatchObject({
    load: { mode: 'burst', level: 8 },
    metrics: { output_tok_s: 96.6928, ttft_ms_mean: 238.6, tpot_ms_p99: 61.3, requests_ok: 8 },
    extra: { concurrency: 5.8273, max_concurrency: 16 },
  });
});

test('reads a configured rate as an open loop, and a half-idle closed loop as an unknown load', () => {
  expect(read(glm.replace('request_rate = 0,', 'request_rate = 28,'))[0]?.load).toEqual({
    mode: 'rate',
    level: 28,
    maxConcurrency: 1,
  });
  const [idle] = read(hunyuan.replace('5.8273', '3.8273'));
  expect(idle?.load).toBeNull();
  expect(idle?.notes).toContainEqual(expect.objectContaining({ code: 'load_unknown' }));
});

// https://github.com/AISBench/benchmark/issues/218
test('omits the first token of responses that were not streamed', () => {
  const [result] = read(fixture('aisbench/2026-03-not-streamed.txt'));
  expect(Object.keys(result?.metrics ?? {}).every((name) => name.startsWith('e2e_ms'))).toBe(true);
  expect(result?.notes).toContainEqual(expect.objectContaining({ code: 'not_streamed' }));
});

test('does not report rates of the stable stage as rates of the run', () => {
  const [result] = read(glm.replaceAll('total   │', 'stable  │'));
  expect(result?.metrics).not.toHaveProperty('output_tok_s');
  expect(result?.metrics).toMatchObject({ ttft_ms_mean: 3221.8, output_tokens: 20480 });
  expect(result?.extra).toMatchObject({ stage: 'stable', stable_output_tok_s: 26.5476 });
});

test('rejects a report that is cut within a row, and reads one that is cut between rows', () => {
  const cut = glm.indexOf('26.5476 token/s');
  expect(() => read(glm.slice(0, cut + 5))).toThrow(
    expect.objectContaining({ faults: expect.arrayContaining([expect.objectContaining({ code: 'row_uneven' })]) }),
  );
  const [result] = read(glm.slice(0, glm.lastIndexOf('\n', cut) + 1));
  expect(result?.metrics).toMatchObject({ ttft_ms_mean: 3221.8, input_tok_s: 424.4545 });
  expect(result?.metrics).not.toHaveProperty('output_tok_s');
});

test('rejects truncated figures and figures without a unit', () => {
  expect(() => read(fixture('aisbench/2025-12-wrong-values.refused.txt'))).toThrow(
    expect.objectContaining({
      faults: ['"TPOT"', '"Output Token Throughput"'].map((label) =>
        expect.objectContaining({ code: 'value_unreadable', message: expect.stringContaining(label) }),
      ),
    }),
  );
});

test.each([
  ["evalscope's grid", fixture('evalscope-perf/1.9-two-loads.txt')],
  ['a grid with other columns', glm.replaceAll('Stage', 'State')],
])('does not claim %s', (_, text) => {
  expect(() => readArtifact(bytes(text), { tool: 'aisbench' })).toThrow(
    expect.objectContaining({ code: 'tool_unrecognised' }),
  );
});
