import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { DomainError } from '../../errors.ts';
import { offlineLoad } from '../../subjects/load.ts';
import { readArtifact } from '../index.ts';

const fixture = (name: string) =>
  readFileSync(new URL(`../../../fixtures/trtllm-bench/${name}`, import.meta.url), 'utf8');
const reading = (text: string) => readArtifact(new TextEncoder().encode(text));
const read = (text: string) => reading(text).results;
const streaming = fixture('1.1-streaming.json');
const log = fixture('1.1-whole-log.txt');
const old = fixture('0.16-latency-then-throughput.txt');

test('reads the file of a streaming run', () => {
  const { tool, results } = reading(streaming);
  expect(tool).toEqual({ name: 'trtllm-bench', version: '1.1.0rc2' });
  const [result] = results;
  expect(result?.metrics).toMatchObject({
    requests_ok: 200,
    duration_s: 25.6,
    req_s: 7.8125,
    output_tok_s: 1000,
    total_tok_s: 9000,
    // 200 responses of 128 tokens
    output_tokens: 25600,
    e2e_ms_mean: 2000,
    e2e_ms_p99: 2800,
    ttft_ms_mean: 95,
    ttft_ms_p50: 93.1,
    tpot_ms_mean: 15,
    tpot_ms_max: 22,
    // Excludes the first token; the speed that includes it is stored separately.
    user_tok_s: 67,
  });
  expect(result?.extra).toMatchObject({
    output_tok_s_per_user_with_prefill: 64,
    output_tok_s_per_gpu: 500,
    acceptance_length: 2.5,
    user_tok_s_p50: 65.66,
  });
  expect(result?.system).toMatchObject({
    model: { value: 'nvidia/Llama-3.1-8B-Instruct-FP8', origin: 'stated' },
    quantization: { value: 'FP8', origin: 'stated' },
    gpu: { value: 'NVIDIA H100 80GB HBM3', origin: 'stated' },
    gpuCount: { value: 2, origin: 'stated' },
    engine: { value: 'tensorrt-llm', origin: 'stated' },
    engineVersion: { value: '1.1.0rc2' },
    parallelism: { tensor: 2, pipeline: 1 },
    features: {
      backend: 'pytorch',
      kv_cache_dtype: 'fp8',
      speculative_decoding: true,
      speculative_algorithm: 'EAGLE',
    },
  });
  expect(JSON.stringify(results)).not.toContain('/home/user');
});

test('reads the same metrics from the log of a run, and the load from its command', () => {
  const [file] = read(streaming);
  const [printed] = read(log);
  for (const [name, value] of Object.entries(printed?.metrics ?? {}))
    expect([name, value]).toEqual([name, Object.entries(file?.metrics ?? {}).find(([other]) => other === name)?.[1]]);
  expect(printed?.system.gpu).toEqual(file?.system.gpu);
  // The quotient of two rates is the number of GPUs.
  expect(printed?.system.gpuCount?.value).toBe(2);
  expect(printed?.scenario).toEqual(file?.scenario);
  expect(printed?.load).toEqual({ mode: 'concurrency', level: 16 });
});

describe('load of a report', () => {
  const load = (changes: object) => {
    const value = JSON.parse(streaming);
    return read(JSON.stringify({ ...value, request_info: { ...value.request_info, ...changes } }))[0]?.load;
  };
  test.each([
    ['half of the requests in flight: a burst', 100, { mode: 'burst', level: 200, regime: 'offline' }],
    ['at the threshold: a burst', 80, { mode: 'burst', level: 200, regime: 'offline' }],
    ['below the threshold: an unknown limit', 79.9, offlineLoad],
    ['one in flight: a concurrency of 1', 1.0, { mode: 'concurrency', level: 1 }],
  ])('%s', (_, avg_num_concurrent_requests, expected) => {
    expect(load({ avg_num_concurrent_requests })).toEqual(expected);
  });

  test('is a burst if the limit is not below the number of requests', () => {
    expect(read(log.replace('--concurrency 16', '--concurrency 200'))[0]?.load).toEqual({
      mode: 'burst',
      level: 200,
      regime: 'offline',
    });
  });
});

test('reads the number format as the quantization of an unquantized checkpoint', () => {
  const [result] = read(fixture('0.20-one-at-a-time.json'));
  expect(result?.system.quantization).toEqual({ value: 'bfloat16', origin: 'stated' });
  expect(result?.system.model?.value).toBe('Llama-3.1-8B-Instruct');
  expect(result?.system.features).toEqual({ backend: 'trt' });
  // Responses have 120 to 128 tokens, and a mean with half a token is not a length.
  expect(result?.scenario).toMatchObject({ inputTokens: { value: 1024 }, outputTokens: null });
  expect(result?.metrics.output_tokens).toBe(25500);
});

test('0.16: reads "total" as output after the latency command, and "token throughput" as output after the other', () => {
  const [latency, throughput] = read(old);
  expect(latency?.metrics).toMatchObject({
    // 10 responses of 101 tokens in 32 s
    output_tok_s: 31.5625,
    decode_tok_s: 32.2581,
    ttft_ms_mean: 100,
    tpot_ms_mean: 31,
    e2e_ms_mean: 3200,
    duration_s: 32,
  });
  expect(latency?.metrics.total_tok_s).toBeUndefined();
  expect(latency?.load).toEqual({ mode: 'concurrency', level: 1 });
  expect(latency?.system.features).toEqual({ backend: 'trt' });
  expect(throughput?.metrics).toMatchObject({ output_tok_s: 10240, req_s: 5 });
  expect(throughput?.metrics.total_tok_s).toBeUndefined();
});

test('reads a rate that equals all tokens as the total, regardless of its label', () => {
  // 0.3125 x (2048 + 101)
  const text = old.slice(0, old.indexOf('meta-llama')).replace('31.5625', '671.5625');
  const [result] = read(text);
  expect(result?.metrics).toMatchObject({ total_tok_s: 671.5625 });
  expect(result?.metrics.output_tok_s).toBeUndefined();
});

test('reads the labels of version 0.18, and the model of -m', () => {
  const text = `$ trtllm-bench -m org/name throughput --dataset data.txt
===========================================================
= PERFORMANCE OVERVIEW
===========================================================
Request Throughput (req/sec):                     10.0000
Total Output Throughput (tokens/sec):             1280.0000
Per User Output Throughput (tokens/sec/user):     2.0000
Per GPU Output Throughput (tokens/sec/gpu):       320.0000
Total Token Throughput (tokens/sec):              21760.0000
Total Latency (ms):                               100000.0000
Per User Output Speed [1/TPOT] (tokens/sec/user): 5.0000
Average time-per-output-token [TPOT] (ms):        200.0000
===========================================================
`;
  const { results, ignored } = readArtifact(new TextEncoder().encode(text));
  expect(ignored).toEqual([]);
  expect(results[0]?.metrics).toMatchObject({ user_tok_s: 5, tpot_ms_mean: 200, total_tok_s: 21760 });
  expect(results[0]?.extra).toMatchObject({ output_tok_s_per_user_with_prefill: 2, output_tok_s_per_gpu: 320 });
  expect(results[0]?.system).toMatchObject({ model: { value: 'org/name' }, gpuCount: { value: 4 } });
});

test('reads an overview without other sections, and stops before the prose after it', () => {
  const [result] = read(fixture('1.0-overview-alone.md'));
  expect(result?.metrics).toMatchObject({ req_s: 0.25, output_tok_s: 256, total_tok_s: 2304 });
  expect(result?.lines.to).toBe(12);
  expect(result?.system.gpuCount?.value).toBe(4);
  expect(result?.load).toEqual(offlineLoad);
});

// https://github.com/NVIDIA/TensorRT-LLM/pull/7104
test('reports a truncated report, and reads its figures', () => {
  const [result] = read(fixture('1.1-cut-in-overview.txt'));
  expect(result?.metrics).toMatchObject({ req_s: 7.3411, output_tok_s: 7517.2584, requests_ok: 6144 });
  expect(result?.metrics.total_tok_s).toBeUndefined();
  const cut = { code: 'truncated', severity: 'info', evidence: { from: 1, to: 34 } };
  expect(result?.notes).toContainEqual(expect.objectContaining(cut));
  for (const whole of [log, old, streaming])
    for (const { notes } of read(whole)) expect(notes.map(({ code }) => code)).not.toContain('truncated');
});

test('reads two runs in one log as two results, each with its own data set', () => {
  const results = read(`${log}\n${log.replaceAll('2000.0000', '2000.1000')}`);
  expect(results).toHaveLength(2);
  expect(results.map(({ load }) => load?.level)).toEqual([16, 16]);
});

test('does not claim a data set printed without a run', () => {
  const text = log.slice(0, log.indexOf('= PYTORCH BACKEND'));
  expect(() => read(text)).toThrow(expect.objectContaining({ code: 'tool_unrecognised' }));
});

test('does not claim handmade blocks', () => {
  expect(() => read('Avg TTFT (ms): 12.0\nThroughput: 5.0\n')).toThrow(
    expect.objectContaining({ code: 'tool_unrecognised' }),
  );
});

test('reports errors with their keys, and truncated figures with their line', () => {
  try {
    read(fixture('1.1-faults.refused.jsonl'));
    expect.unreachable();
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    expect(error.faults.map(({ line, pointer }) => `${line} ${pointer ?? ''}`)).toEqual([
      '1 /world_info/tp_size',
      '1 /request_info/num_requests',
      '1 /performance/request_throughput_req_s',
      '2 ',
    ]);
  }
  expect(() => read(fixture('1.1-cut.refused.txt'))).toThrow('should be a number');
});
