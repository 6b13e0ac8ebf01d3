import { describe, expect, test } from 'vitest';
import { findGpu } from '../../catalogue/index.ts';
import { parseQuestion, type Question } from '../index.ts';

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
    ['best gpu 300W limit', { kind: 'rank', subject: 'gpu', filters: { gpu_power_limit_w: [300] } }],
    ['sglang or vllm for deepseek', { kind: 'compare', compared: [{ engine: ['sglang'] }, { engine: ['vllm'] }] }],
    [
      'is it worth upgrading from 3090 to 5090',
      { kind: 'compare', compared: [{ gpu: ['rtx-3090'] }, { gpu: ['rtx-5090'] }] },
    ],
  ])('%s', (q, expected) => {
    expect(parseQuestion(q)).toMatchObject(expected);
  });
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
