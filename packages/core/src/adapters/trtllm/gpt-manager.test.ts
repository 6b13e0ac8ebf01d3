import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readArtifact } from '../index.ts';

const fixture = (name: string) =>
  readFileSync(new URL(`../../../fixtures/trtllm-gpt-manager-benchmark/${name}`, import.meta.url), 'utf8');
const read = (text: string) => readArtifact(new TextEncoder().encode(text)).results;
const rate = fixture('0.11-rate.txt');

// Published in two repositories that benchmark TensorRT-LLM; the folders of the commands are shortened.
test('reads rates, counts and latencies, and the rate of the command', () => {
  const [result] = read(rate);
  expect(result?.metrics).toEqual({
    requests_ok: 500,
    requests_failed: 0,
    duration_s: 52.37221,
    req_s: 9.55,
    output_tok_s: 2870.8,
    e2e_ms_mean: 2755.07,
    e2e_ms_max: 3198.22,
    e2e_ms_min: 2353.59,
    e2e_ms_p99: 3108.04,
    e2e_ms_p90: 2942.41,
    e2e_ms_p50: 2747.11,
  });
  expect(result).toMatchObject({
    load: { mode: 'rate', level: 10 },
    // The folder is named after the number of GPUs.
    system: { model: null, engine: { value: 'tensorrt-llm' } },
    notes: [],
  });
});

test.each([
  ['--request_rate 10', { mode: 'burst', level: 500, regime: 'offline' }, ''],
  ['--request_rate 10', { mode: 'concurrency', level: 32 }, '--concurrency 32'],
  ['--request_rate 10', { mode: 'rate', level: 10, burstiness: 1 }, '--request_rate 10 --enable_exp_delays'],
])('reads the load of the command with %s replaced', (option, load, other) => {
  expect(read(rate.replace(option, other))[0]?.load).toEqual(load);
});

test('reads two runs without a command, with an unknown load', () => {
  const results = read(fixture('0.20-two-instances.txt'));
  expect(results.map(({ metrics, load }) => [metrics.output_tok_s, load])).toEqual([
    [15672.87, null],
    [6951.11, null],
  ]);
  expect(results[0]?.notes.map(({ code }) => code)).toEqual(['load_unknown']);
});

test('reads the figures of streamed responses', () => {
  const [result] = read(`${rate}
[BENCHMARK] avg_time_to_first_token(ms) 465.21
[BENCHMARK] p99_time_to_first_token(ms) 525.54

[BENCHMARK] avg_inter_token_latency(ms) 31.62
[BENCHMARK] avg_user_tokens_per_second(tokens/sec/user) 31.63
`);
  expect(result?.metrics).toMatchObject({ ttft_ms_mean: 465.21, ttft_ms_p99: 525.54, tpot_ms_mean: 31.62 });
  expect(result?.definitions).toMatchObject({ tpot_ms: 'without_first_token' });
});

test('omits a figure that was cut, and rejects a report without figures', () => {
  expect(read(`${rate.slice(0, rate.indexOf('2755.07') + 5)}\n`)[0]?.metrics).not.toHaveProperty('e2e_ms_mean');
  expect(() => read(rate.slice(0, rate.indexOf('[BENCHMARK] seq_')))).toThrow();
});
