import { existsSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readSubmission } from '../../submission/read-submission.ts';
import { readArtifact } from '../index.ts';

const fixture = (name: string) => readFileSync(new URL(`../../../fixtures/${name}`, import.meta.url), 'utf8');
const encode = (text: string) => new TextEncoder().encode(text);
const read = (text: string) => readArtifact(encode(text)).results;

/** An aggregate of two GPUs: 200 tok/s of input and of output per GPU, times in seconds. */
const aggregate = {
  hw: 'h200',
  conc: 4,
  model: 'example-org/example-8b',
  framework: 'sglang',
  precision: 'fp8',
  isl: 1024,
  osl: 1024,
  tp: 2,
  tput_per_gpu: 400,
  output_tput_per_gpu: 200,
  input_tput_per_gpu: 200,
  mean_ttft: 0.2,
  mean_tpot: 0.01,
  mean_intvty: 100,
  mean_e2el: 9.19,
};
const readOne = (over: Record<string, unknown> = {}) => read(JSON.stringify({ ...aggregate, ...over }))[0];

test('reads an aggregate with times in seconds and rates per GPU', () => {
  expect(readOne()).toMatchObject({
    load: { mode: 'concurrency', level: 4 },
    scenario: { inputTokens: { value: 1024 }, outputTokens: { value: 1024 } },
    system: { gpu: { value: 'h200' }, gpuCount: { value: 2, origin: 'stated' }, quantization: { value: 'fp8' } },
    // 2 GPUs x 200, x 200, x 400.
    metrics: {
      ttft_ms_mean: 200,
      tpot_ms_mean: 10,
      e2e_ms_mean: 9190,
      output_tok_s: 400,
      input_tok_s: 400,
      total_tok_s: 800,
      output_tok_s_per_gpu: 200,
    },
    definitions: { ttft_ms: 'send_to_first_token', tpot_ms: 'without_first_token', e2e_ms: 'request' },
  });
});

// The tool's convention sets the unit, never the magnitude: half a minute to the first token is slow but possible.
test.each([
  [30, 30_000],
  [0.0005, 0.5],
])('reads a TTFT of %d s as %d ms', (seconds, ms) => {
  expect(readOne({ mean_ttft: seconds })?.metrics.ttft_ms_mean).toBe(ms);
});

test.each([
  [{ tp: 8 }, 8],
  [{ tp: 4, pp: 2 }, 8],
  [{ tp: 4, pp: 1, pcp_size: 2 }, 8],
  // All of these share the same GPUs.
  [{ tp: 8, ep: 8, dcp_size: 4, dp_attention: 'true' }, 8],
])('reads %j as %d GPUs', (widths, gpus) => {
  const result = readOne(widths);
  expect(result?.system.gpuCount?.value).toBe(gpus);
  expect(result?.metrics.output_tok_s).toBe(200 * gpus);
});

const split = { disagg: true, is_multinode: true, tp: undefined, num_prefill_gpu: 8, num_decode_gpu: 16 };

test('disaggregated: divides input by prefill GPUs, output by decode GPUs, and the total by all', () => {
  // 8 x 8000 in + 16 x 500 out = 72000 = 24 x 3000.
  const rates = { tput_per_gpu: 3000, output_tput_per_gpu: 500, input_tput_per_gpu: 8000 };
  const result = readOne({ ...split, ...rates });
  expect(result?.metrics).toMatchObject({ output_tok_s: 8000, input_tok_s: 64_000, total_tok_s: 72_000 });
  expect(result?.system).toMatchObject({ gpuCount: { value: 24 }, features: { prefill_gpus: 8, decode_gpus: 16 } });
  // Output per decode GPU differs from output per GPU.
  expect(result?.metrics).not.toHaveProperty('output_tok_s_per_gpu');
  expect(result?.extra.output_tok_s_per_decode_gpu).toBe(500);
});

test('disaggregated without decode GPUs: divides by all GPUs', () => {
  const result = readOne({ ...split, num_decode_gpu: 0 });
  expect(result?.metrics).toMatchObject({ output_tok_s: 1600, input_tok_s: 1600, total_tok_s: 3200 });
});

test('adds input and output to the total, for any number of prefill and decode GPUs', () => {
  const gpus = fc.integer({ min: 1, max: 144 });
  const rate = fc.integer({ min: 1, max: 20_000 });
  fc.assert(
    fc.property(gpus, gpus, rate, rate, (prefill, decode, input, output) => {
      const total = (prefill * input + decode * output) / (prefill + decode);
      const rates = { tput_per_gpu: total, output_tput_per_gpu: output, input_tput_per_gpu: input };
      const found = readOne({ ...split, num_prefill_gpu: prefill, num_decode_gpu: decode, ...rates })?.metrics;
      expect(found?.total_tok_s).toBeCloseTo((found?.output_tok_s ?? 0) + (found?.input_tok_s ?? 0), 4);
    }),
  );
});

test.each([
  ['b200-trt', 'trt', 'nvcr.io#nvidia/tensorrt-llm/release:1.1.0rc2.post2', 'b200', 'tensorrt-llm', '1.1.0rc2.post2'],
  ['gb200', 'dynamo-sglang', 'lmsysorg/sglang:v0.5.5.post2', 'gb200', 'sglang', '0.5.5.post2'],
  ['mi355x', 'vllm', 'vllm/vllm-openai-rocm:v0.21.0', 'mi355x', 'vllm', '0.21.0'],
  ['mi355x', 'mori-sglang', 'rocm/sgl-dev:sglang-0.5.9-rocm720-mi35x-mori-0227-2', 'mi355x', 'sglang', '0.5.9'],
  [
    'mi355x',
    'atom',
    'rocm/atom:rocm7.2.4_ubuntu24.04_py3.12_pytorch_release_2.10.0_atom0.1.3',
    'mi355x',
    'atom',
    '0.1.3',
  ],
  ['mi355x', 'atom', 'rocm/atom:rocm7.2.3_ubuntu24.04_py3.12_atom20260511', 'mi355x', 'atom', undefined],
  // A date is not a version, and the tag of another project's image is not the engine's.
  ['h100', 'sglang', 'lmsysorg/sglang:nightly-20260501', 'h100', 'sglang', undefined],
  ['h100', 'vllm', 'example/server:v2.3.1', 'h100', 'vllm', undefined],
])('reads the engine of %s, %s, %s', (hw, framework, image, gpu, engine, version) => {
  const system = readOne({ hw, framework, image })?.system;
  expect([system?.gpu?.value, system?.engine?.value, system?.engineVersion?.value]).toEqual([gpu, engine, version]);
});

test('reads boolean features written as text', () => {
  const features = (over: Record<string, unknown>) => readOne(over)?.system.features;
  expect(features({ dp_attention: 'true', spec_decoding: 'mtp' })).toEqual({
    dp_attention: true,
    speculative_decoding: true,
    speculative_algorithm: 'mtp',
  });
  expect(features({ dp_attention: 'false', spec_decoding: 'none', disagg: false, is_multinode: false })).toEqual({});
});

test('ignores interactivity, which is the inverse of TPOT', () => {
  const { results, ignored } = readArtifact(encode(JSON.stringify({ ...aggregate, std_intvty: 2000 })));
  expect(results[0]?.metrics).not.toHaveProperty('user_tok_s');
  expect(ignored).toEqual(['mean_intvty', 'std_intvty']);
});

test('reads agentic conversations with users and total rates, without lengths', () => {
  const [result] = read(fixture('inferencex/2026-agentic.json'));
  expect(result).toMatchObject({
    load: { mode: 'concurrency', level: 8 },
    scenario: { inputTokens: null, outputTokens: null, dataset: { value: 'agentic-coding' } },
    // 50 responses in 100 s; 50 x 20000 and 50 x 200.5 tokens; 52 - 50 failed.
    metrics: {
      req_s: 0.5,
      requests_ok: 50,
      requests_failed: 2,
      input_tokens: 1_000_000,
      output_tokens: 10_025,
      output_tok_s: 100.25,
      output_tok_s_per_gpu: 50.125,
      e2e_ms_mean: 14_000,
    },
    // The cache served a part of the prompts.
    system: { features: { kv_cache_offload: true, prefix_caching: true } },
  });
  // The median second had no responses, so it is not a rate.
  expect(Object.values(result?.metrics ?? {})).not.toContain(0);
});

test('reads a client record without an engine, because it names only the protocol', () => {
  const [result] = read(fixture('inferencex/2026-client-record.json'));
  expect(result).toMatchObject({
    measuredAt: '2026-06-10T20:51:11.945Z',
    system: { engine: null, model: { value: 'example-org/example-8b-FP8' }, gpu: null, gpuCount: null },
    metrics: { ttft_ms_mean: 200, requests_ok: 40, requests_failed: 0 },
    extra: { ttft_ms_p999: 218 },
  });
});

test('has an unknown load and a note for a result without a level', () => {
  const { conc: _, ...without } = aggregate;
  expect(read(JSON.stringify(without))[0]).toMatchObject({ load: null, notes: [{ code: 'load_unknown' }] });
});

test.each([
  ['a level of 0', { conc: 0 }, '/conc must be a whole number'],
  ['a fractional number of users', { users: 2.5, scenario_type: 'agentic-coding' }, '/users must be a whole number'],
  ['text instead of a rate', { tput_per_gpu: 'fast' }, '/tput_per_gpu: expected a number'],
  ['a time before the start', { mean_ttft: -0.1 }, '/\\*_ttft/mean: expected a number'],
  [
    'facts without figures',
    Object.fromEntries(Object.keys(aggregate).flatMap((key) => (/_|tput/.test(key) ? [[key, null]] : []))),
    'nothing was measured',
  ],
])('rejects %s', (_, over, reason) => {
  expect(() => readOne(over)).toThrow(new RegExp(reason));
});

test('rejects a file truncated in the middle', () => {
  const text = fixture('inferencex/2026-merged.json');
  expect(() => read(text.slice(0, text.length - 200))).toThrow(
    expect.objectContaining({ faults: expect.arrayContaining([expect.objectContaining({ code: 'json_broken' })]) }),
  );
});

test("does not claim a record of vLLM's own client", () => {
  const { tool } = readArtifact(encode(fixture('vllm-bench-serve-json/0.12-closed-loop.json')));
  expect(tool.name).not.toBe('inferencex');
});

const published = new URL('../../../../../../shared/real-results/', import.meta.url);
const files = ['agentx_agg_users128', 'agg_kimik2.5_1k1k_conc4', 'bmk_kimik2.5_1k1k_conc4', 'gptoss_h200_tp4_conc64'];

test.skipIf(!existsSync(published)).each(files)('raises no violation for the arithmetic of %s', (name) => {
  const bytes = readFileSync(new URL(`inferencex__${name}.json`, published));
  const hasFacts = name.startsWith('agg') || name.startsWith('agentx');
  const words = hasFacts ? {} : { gpu: 'h200', gpu_count: 4, quantization: 'fp8', engine: 'vllm' };
  const { results } = readSubmission(bytes, words);
  expect(results.flatMap(({ findings }) => findings).filter(({ severity }) => severity === 'violation')).toEqual([]);
});
