import { describe, expect, test } from 'vitest';
import { parseQuestion } from '../index.ts';

describe('a number directly before its unit', () => {
  test.each([
    ['fp4 b200 tok/s/gpu at 50 tok/s/user', 'output_tok_s_per_gpu', { min_user_tok_s: 50 }],
    ['throughput at 30 TPS/user on b200', 'output_tok_s', { min_user_tok_s: 30 }],
    ['throughput per gpu over 40 tokens/s per user on b200', 'output_tok_s_per_gpu', { min_user_tok_s: 40 }],
  ])('limits that unit, and the other metric ranks: %s', (q, rankBy, filters) => {
    expect(parseQuestion(q)).toMatchObject({ rankBy, filters });
  });

  test('does not take the metric of the next limit', () => {
    const { filters } = parseQuestion('throughput over 2000, tok/s/user over 50');
    expect(filters).toEqual({ min_output_tok_s: 2000, min_user_tok_s: 50 });
  });
});

test.each(['is b200 2x faster than h200', 'is b200 1.5 times faster than h200', 'is a b200 twice faster than h200'])(
  'a factor is not a number of GPUs: %s',
  (q) => {
    const { kind, compared } = parseQuestion(q);
    expect(kind).toBe('compare');
    expect(compared).toEqual([{ gpu: ['b200-sxm'] }, { gpu: ['h200'] }]);
  },
);

test.each([
  'how many h100s to serve llama 3 70b in fp16',
  'number of h100 for llama 3 70b fp16',
  'minimum number of h100 for llama 3 70b fp16',
])('a number of GPUs is not ignored: %s', (q) => {
  const { kind, filters } = parseQuestion(q);
  expect(kind).toBe('fit');
  expect(filters).toEqual({ gpu: ['h100'], model: ['llama-3-70b'], quantization: ['fp16'] });
});

test.each(['best model under 24gb vram', 'best model with less than 24 GB', 'best model within 24 gb of vram'])(
  'a maximum memory is what a model must fit: %s',
  (q) => {
    const question = parseQuestion(q);
    expect(question).toMatchObject({ kind: 'fit', subject: 'model', filters: {} });
    expect(question.fit?.memoryGb).toBe(24);
  },
);

test.each(['how does vllm 0.11 compare to 0.10 on h100', 'is vllm 0.11 faster than 0.10 on h100'])(
  'a second version is of the same engine: %s',
  (q) => {
    const side = (version: string) => ({ engine: ['vllm'], engine_version: [version] });
    expect(parseQuestion(q)).toMatchObject({
      kind: 'compare',
      filters: { gpu: ['h100'] },
      compared: [side('0.11.x'), side('0.10.x')],
    });
  },
);
