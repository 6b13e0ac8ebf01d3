import { describe, expect, test } from 'vitest';
import { findGpu } from '../../catalogue/index.ts';
import { parseQuestion, type Question } from '../index.ts';

/** GPUs with a rated power of at most 75 W. */
const small = [
  ...['a2', 'arc-a380', 'gtx-1050-ti', 'gtx-1650'],
  ...['jetson-agx-orin-32gb', 'jetson-agx-orin-64gb', 'jetson-orin-nano-8gb', 'jetson-orin-nx-16gb'],
  ...['l4', 'rtx-2000-ada', 'rtx-a2000-12gb', 't4'],
];
const llama70b = {
  model: ['llama-2-70b', 'llama-3-70b', 'llama-3.1-70b', 'llama-3.3-70b', 'shisa-v2-llama-3.3-70b'],
};
const llama8b = { model: ['llama-3-8b', 'llama-3.1-8b'] };

describe('questions as people ask them', () => {
  test.each<[string, Partial<Question>]>([
    ['biggest model for 48gb vram without quantization', { kind: 'fit', filters: { quantization: ['bf16', 'fp16'] } }],
    ['best non-quantized model for 80gb', { kind: 'fit', filters: { quantization: ['bf16', 'fp16'] } }],
    ['memory for deepseek r1 fp8', { kind: 'fit', filters: { model: ['deepseek-r1'], quantization: ['fp8'] } }],
    ['qwen3 235b hardware requirements', { kind: 'fit', filters: { model: ['qwen3-235b-a22b'] } }],
    ['offline batch processing on h100', { filters: { regime: ['offline'], gpu: ['h100'] } }],
    ['which GPU give more token per second', { kind: 'rank', subject: 'gpu', saysRank: false }],
    ['more than 8 users on h100', { filters: { load_mode: ['concurrency'], min_load_level: 9, gpu: ['h100'] } }],
    [
      'is tensorrt-llm faster then vllm on h100',
      { kind: 'compare', compared: [{ engine: ['tensorrt-llm'] }, { engine: ['vllm'] }] },
    ],
    ['most efficient gpu tokens per watt', { kind: 'rank', subject: 'gpu', rankBy: 'tok_per_joule', order: 'desc' }],
    ['tokens/sec/$ h100 h200', { rankBy: 'usd_per_mtok_output', order: 'asc', ignored: [] }],
    ['best gpu under 75 W', { kind: 'rank', subject: 'gpu', filters: { gpu: small } }],
    ['card for llama 8b, tdp at most 75 watts', { kind: 'rank', subject: 'gpu', filters: { ...llama8b, gpu: small } }],
    ['best gpu drawing less than 300 W', { kind: 'rank', subject: 'gpu', filters: { max_power_w: 300 } }],
    ['gpu with power draw under 300 W', { kind: 'rank', subject: 'gpu', filters: { max_power_w: 300 } }],
    ['best gpu 300W limit', { kind: 'rank', subject: 'gpu', filters: { gpu_power_limit_w: [300] } }],
    ['sglang or vllm for deepseek', { kind: 'compare', compared: [{ engine: ['sglang'] }, { engine: ['vllm'] }] }],
    [
      'is it worth upgrading from 3090 to 5090',
      { kind: 'compare', compared: [{ gpu: ['rtx-3090'] }, { gpu: ['rtx-5090'] }] },
    ],
    ['llama-2-7b on strix halo pp512 tg128', { filters: { scenario: ['pp512', 'tg128'] } }],
    ['llama-2-7b on strix halo pp512/tg128', { filters: { scenario: ['pp512', 'tg128'] } }],
    ['llama-2-7b on strix halo pp512 + tg128', { filters: { scenario: ['pp512+tg128'] } }],
    ['price per million output tokens deepseek r1', { rankBy: 'usd_per_mtok_output', price: null }],
    ['price per 1M output tokens deepseek r1', { rankBy: 'usd_per_mtok_output', price: null }],
    ['cost of gpt-oss-120b at $2.3/gpu/hr', { rankBy: 'usd_per_mtok_output', price: 2.3 }],
    ['cheapest gpu for gpt-oss-120b at $2/gpu-hour', { price: 2 }],
    ['cheapest gpu for deepseek r1 at $2.30/hr per gpu', { price: 2.3 }],
    ['cheapest gpu for deepseek r1 at $2.30 an hour per gpu', { price: 2.3 }],
    ['b60 gpt-oss-20b', { filters: { gpu: ['arc-pro-b60'], model: ['gpt-oss-20b'] } }],
    ['best mac for llm', { kind: 'rank', subject: 'gpu', filters: { gpu: ['apple'] } }],
    ['fastest radeon for qwen3 8b', { kind: 'rank', subject: 'gpu', filters: { gpu: ['amd'], model: ['qwen3-8b'] } }],
    ['best amd model', { kind: 'rank', subject: 'model', filters: { gpu: ['amd'] } }],
    ['which chip is the most efficient for deepseek r1', { kind: 'rank', subject: 'gpu', rankBy: 'tok_per_joule' }],
    [
      'which is best for deepseek r1: h200 or mi300x',
      { kind: 'compare', compared: [{ gpu: ['h200'] }, { gpu: ['mi300x'] }] },
    ],
    ['best gpu: h200 or mi300x', { kind: 'rank', subject: 'gpu', filters: { gpu: ['h200', 'mi300x'] } }],
    [
      'fastest: vllm or sglang on h200',
      { kind: 'compare', rankBy: 'user_tok_s', compared: [{ engine: ['vllm'] }, { engine: ['sglang'] }] },
    ],
    ['i want know what engine is more fast for qwen3', { kind: 'rank', subject: 'engine', rankBy: 'user_tok_s' }],
    ['bset gpu for deepseak r1', { kind: 'rank', subject: 'gpu', filters: { model: ['deepseek-r1'] } }],
    ['inferencex b200', { kind: 'rank', filters: { tool: ['inferencex'], gpu: ['b200-sxm'] }, ignored: [] }],
    ['llama 3.1 70b memory', { kind: 'fit', filters: { model: ['llama-3.1-70b'] } }],
    ['llama 3.1 70b with 128k context memory', { kind: 'fit', fit: { memoryGb: null, contextTokens: 128_000 } }],
    ['system with the lowest memory', { kind: 'rank', rankBy: 'memory_gb' }],
    ['llama 2 70b 100 req/s how many gpus', { kind: 'fit', filters: { load_mode: ['rate'], load_level: [100] } }],
    ['llama 2 70b over 100 req/s', { filters: { min_req_s: 100 } }],
    ['single stream decode 5090', { kind: 'lookup', rankBy: 'decode_tok_s', filters: { load_level: [1] } }],
    ['how much does it cost to generate 1 million tokens with deepseek r1', { rankBy: 'usd_per_mtok_output' }],
    ['how many watts does an h100 need', { kind: 'lookup', rankBy: 'power_w' }],
    [
      'best llama 8b or qwen3 8b on 4090',
      { kind: 'compare', compared: [{ model: ['llama-3-8b', 'llama-3.1-8b'] }, { model: ['qwen3-8b'] }] },
    ],
    [
      'llama 8b vs qwen3 8b vs qwen3 14b',
      { compared: [{ model: ['llama-3-8b', 'llama-3.1-8b'] }, { model: ['qwen3-8b'] }, { model: ['qwen3-14b'] }] },
    ],
    [
      'h100 vs b200 fp8 llama 3 70b tokens per second per gpu',
      { compared: [{ gpu: ['h100'] }, { gpu: ['b200-sxm'] }], rankBy: 'output_tok_s_per_gpu' },
    ],
    ['llama 70b tokens per second on h100', { kind: 'lookup', filters: { ...llama70b, gpu: ['h100'] } }],
    ['most powerful gpu with tdp of 72 W', { kind: 'rank', subject: 'gpu', saysRank: false, filters: { gpu: ['l4'] } }],
    ['tok/s per chip on tpu v6e', { kind: 'lookup', rankBy: 'output_tok_s_per_gpu' }],
    ['greenest gpu', { kind: 'rank', subject: 'gpu', rankBy: 'tok_per_joule', order: 'desc' }],
    ['thruput h100', { kind: 'lookup', rankBy: 'output_tok_s' }],
    [
      'llama 3 70b on 4 h100s w/ vllm',
      { filters: { model: ['llama-3-70b'], gpu: ['h100'], gpu_count: [4], engine: ['vllm'] } },
    ],
    ["what's the record for deepseek r1", { kind: 'rank', filters: { model: ['deepseek-r1'] } }],
    ['is nvidia still ahead of amd', { kind: 'compare', compared: [{ gpu: ['nvidia'] }, { gpu: ['amd'] }] }],
    ['qwen3 32b dense on h100', { filters: { model: ['qwen3-32b'], gpu: ['h100'] } }],
    [
      'gemma 4 31b dense vs gemma 4 26b moe on strix halo',
      { compared: [{ model: ['gemma-4-31b'] }, { model: ['gemma-4-26b-a4b'] }] },
    ],
  ])('%s', (q, expected) => {
    expect(parseQuestion(q)).toMatchObject(expected);
  });
});

describe('GPUs of an architecture or a market', () => {
  const gpusOf = (q: string) => [parseQuestion(q).filters.gpu ?? []].flat();

  test('are a group', () => {
    expect(gpusOf('best model on hopper')).toEqual(expect.arrayContaining(['h100-sxm', 'h200-sxm']));
    expect(gpusOf('best blackwell gpu')).toEqual(expect.arrayContaining(['b200-sxm', 'b300-sxm', 'rtx-5090']));
    expect(gpusOf('best consumer gpu')).toContain('rtx-4090');
    expect(gpusOf('best consumer gpu')).not.toContain('rtx-5000-ada');
  });

  test('are compared', () => {
    const [blackwell, hopper] = parseQuestion('how much better is blackwell than hopper').compared;
    expect(blackwell?.gpu).toContain('b200-sxm');
    expect(hopper?.gpu).toContain('h100-sxm');
  });

  test('add nothing to one of their names', () => {
    expect(gpusOf('blackwell b200 deepseek r1')).toEqual(['b200-sxm']);
    expect(gpusOf('h100 hopper')).toEqual(['h100']);
    expect(gpusOf('rtx 6000 ada')).toEqual(['rtx-6000-ada']);
  });
});

test('a model of another architecture is a fault', () => {
  expect(() => parseQuestion('qwen3 32b moe on h100')).toThrow('"moe" does not match "qwen3 32b".');
});

describe('a minimum of GPU memory', () => {
  const memoryOf = (id: string | number) => findGpu(String(id))?.memoryGb ?? 0;

  test('means the GPUs that have it', () => {
    const { subject, filters } = parseQuestion('gpus with at least 80gb memory by throughput');
    expect(subject).toBe('gpu');
    const gpus = [filters.gpu ?? []].flat();
    expect(gpus).toContain('h100-sxm');
    expect(gpus.every((id) => memoryOf(id) >= 80)).toBe(true);
  });

  test('is not part of what "not" excludes before it', () => {
    const { filters } = parseQuestion('best gpu not nvidia with at least 128gb memory');
    expect(filters.not_gpu).toEqual(['nvidia']);
    expect(filters.gpu).toContain('mi300x');
  });

  test('after "memory" limits the measured memory', () => {
    expect(parseQuestion('memory at least 20 GB').filters).toEqual({ min_memory_gb: 20 });
  });
});
