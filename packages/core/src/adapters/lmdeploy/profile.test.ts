import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readArtifact } from '../index.ts';

const fixture = (name: string) =>
  readFileSync(new URL(`../../../fixtures/lmdeploy-profile/${name}`, import.meta.url), 'utf8');
const read = (text: string) => readArtifact(new TextEncoder().encode(text)).results;
// Published in InternLM/lmdeploy, pull requests 1515 and 946, and two tutorials on LMDeploy.
const throughput = fixture('2024-04-throughput.txt');
const generation = fixture('2024-06-generation.txt');

test('reads a run over a data set in ms, with the model after the data set', () => {
  const [result] = read(throughput);
  expect(result?.metrics).toEqual({
    duration_s: 736.06,
    ttft_ms_min: 1400,
    ttft_ms_max: 32566,
    ttft_ms_mean: 9528,
    itl_ms_p50: 157,
    itl_ms_p95: 463,
    itl_ms_p99: 549,
    input_tokens: 741804,
    output_tokens: 712850,
    output_tok_s: 968.468,
    total_tok_s: 1976.272,
    req_s: 4.076,
  });
  expect(result?.extra).toEqual({ itl_ms_p75: 165, requests_sent: 3000 });
  expect(result?.definitions).toEqual({ ttft_ms: 'send_to_first_token', itl_ms: 'per_token' });
  expect(result?.load).toEqual({ mode: 'concurrency', level: 256 });
});

test('reads two runs in one paste, and omits the zero gaps of tokens that arrived together', () => {
  const results = read(fixture('2024-01-throughput-two-runs.txt'));
  expect(results.map(({ metrics }) => metrics.output_tok_s)).toEqual([2353.993, 5016.892]);
  expect(results[0]?.metrics).not.toHaveProperty('itl_ms_p50');
  expect(results[0]?.metrics.itl_ms_p99).toBe(979);
});

test('reads a static run with its requested lengths and latencies', () => {
  const [result] = read(generation);
  expect(result?.metrics).toEqual({
    duration_s: 5.51,
    ttft_ms_min: 45,
    ttft_ms_max: 47,
    ttft_ms_mean: 46,
    e2e_ms_min: 1833,
    e2e_ms_max: 1846,
    e2e_ms_mean: 1839,
    itl_ms_p50: 14,
    itl_ms_p95: 20,
    itl_ms_p99: 21,
    output_tok_s: 69.68,
    total_tok_s: 209.04,
  });
  expect(result).toMatchObject({
    scenario: { inputTokens: { value: 256 }, outputTokens: { value: 128 } },
    load: { mode: 'concurrency', level: 1 },
    system: { model: { value: 'internlm2-chat-7b', origin: 'context' } },
    extra: { test_round: 3 },
  });
});

// Published in BestAnHongjun/LMDeploy-Jetson as the screenshot attach/benchmark.png. These are its lines without the prompt.
test('reads the single throughput of a static run of early 2024', () => {
  const results = read(fixture('2024-02-generation-jetson.txt'));
  expect(results).toHaveLength(1);
  expect(results[0]?.metrics).toEqual({
    duration_s: 104.04,
    ttft_ms_min: 445,
    ttft_ms_max: 445,
    ttft_ms_mean: 445,
    e2e_ms_min: 17202,
    e2e_ms_max: 17211,
    e2e_ms_mean: 17206,
    itl_ms_p50: 132,
    itl_ms_p95: 132,
    itl_ms_p99: 133,
    output_tok_s: 7.38,
  });
  expect(results[0]).toMatchObject({
    scenario: { inputTokens: { value: 128 }, outputTokens: { value: 128 } },
    load: { mode: 'concurrency', level: 1 },
    system: { model: null },
    extra: { itl_ms_p75: 132, test_round: 6 },
    notes: [],
  });
});

test('reads a truncated block up to its end', () => {
  const [result] = read(throughput.slice(0, throughput.indexOf('RPS')));
  expect(result?.metrics.total_tok_s).toBe(1976.272);
  expect(result?.notes).toEqual([expect.objectContaining({ code: 'truncated' })]);
});

test('rejects a truncated figure with its line', () => {
  expect(() => read(fixture('2024-06-cut-figure.refused.txt'))).toThrow(
    expect.objectContaining({ faults: [expect.objectContaining({ code: 'value_unreadable', line: 5 })] }),
  );
});

// Published in InternLM/lmdeploy, issue 137. The first token came with the last, and the throughput is that of one session.
test('reads a run of 2023 whose throughput is not a rate of all sessions', () => {
  const [result] = read(fixture('2023-07-generation.txt'));
  expect(result?.metrics).toEqual({ duration_s: 738.32, e2e_ms_min: 45430, e2e_ms_max: 94670, e2e_ms_mean: 89290 });
  expect(result).toMatchObject({
    scenario: { inputTokens: { value: 1 }, outputTokens: { value: 2048 } },
    load: { mode: 'concurrency', level: 64 },
    // The model was converted into a folder with a fixed name.
    system: { model: null },
    extra: { output_tok_s_per_user_with_prefill: 22.92672973632506 },
  });
});

const static2023 = (throughput: string) => `cocurrency: 4, input_tokens: 64, output_tokens: 512
elapsed_time: 61.20s
first_token latency(min, max, ave): 0.05s, 0.09s, 0.07s
token latency(min, max, ave): 5.90s, 6.10s, 6.00s
throughput: ${throughput} token/s
`;

test('names the throughput of a streamed run of 2023 by its latencies', () => {
  const [session] = read(static2023('85.17'));
  expect(session?.metrics).toMatchObject({ ttft_ms_mean: 70, user_tok_s: 85.17 });
  expect(session?.metrics).not.toHaveProperty('output_tok_s');
  const [sum] = read(static2023('340.67'));
  expect(sum?.extra).toEqual({ sum_of_user_tok_s: 340.67 });
  expect(read(static2023('500.00'))[0]?.extra).toEqual({ throughput: 500 });
});

const serving = `concurrency: 32
elapsed_time: 310.500s
first_token latency(min, max, ave): 0.021s, 4.066s, 0.285s
token throughput: 1610.306 token/s
req throughput: 3.221 req/s
`;

test('reads the serving run of 2023 over all sessions', () => {
  const [result] = read(serving);
  expect(result?.metrics).toMatchObject({ ttft_ms_mean: 285, output_tok_s: 1610.306, req_s: 3.221 });
  expect(result?.notes).toEqual([]);
});

test('reads the command of the server above a block', () => {
  const server = 'lmdeploy serve api_server internlm/internlm2-chat-7b --tp 2 --backend turbomind --model-format awq\n';
  expect(read(`${server}${serving}`)[0]?.system).toMatchObject({
    model: { value: 'internlm/internlm2-chat-7b', origin: 'context' },
    quantization: { value: 'awq', origin: 'inferred' },
    gpuCount: { value: 2, origin: 'inferred' },
    features: { backend: 'turbomind' },
  });
});

test.each([
  ['a latency above the time of the run', '4.066s', '4066.0s', 'value_unreadable', 3],
  ['a label with two values', 'req throughput', 'elapsed_time: 311.500s\nreq throughput', 'value_repeated', 5],
])('rejects %s with its line', (_, from, to, code, line) => {
  expect(() => read(serving.replace(from, to))).toThrow(
    expect.objectContaining({ faults: [expect.objectContaining({ code, line })] }),
  );
});

test('reads the parallelism and the backend of the command', () => {
  expect(read(throughput)[0]?.system).toMatchObject({
    model: { value: 'Mixtral-8x22B-v0.1' },
    gpuCount: { value: 4, origin: 'inferred' },
    parallelism: { tensor: 4 },
    features: { backend: 'pytorch' },
  });
});

test.each(['concurrency: 8\nelapsed_time: 3.2s\n', 'concurrency: 8\nelapsed_time: 3.2s\nthroughput: 20 token/s\n'])(
  'does not claim %j',
  (text) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ code: 'tool_unrecognised' }));
  },
);

// Composed: 10.159 requests per second for 295.3 seconds are 3000.
test('reads the number of requests from the command if the printed rate confirms it', () => {
  const block = (prompts: number) =>
    [
      `python profile_restful_api.py http://127.0.0.1:23333 example/8b data.json --concurrency 256 --num-prompts ${prompts}`,
      'concurrency: 256',
      'elapsed_time: 295.300s',
      'number of failed requests: 2',
      'number of completion tokens: 695134',
      'token throughput (completion token): 2353.993 token/s',
      'RPS (request per second): 10.159 req/s',
      'RPM (request per minute): 609.550 req/min',
    ].join('\n');
  const [result] = read(block(3000));
  expect(result?.extra.requests_sent).toBe(3000);
  expect(result?.metrics).toMatchObject({ requests_ok: 2998, requests_failed: 2 });
  expect(read(block(2000))[0]?.extra).not.toHaveProperty('requests_sent');
});
