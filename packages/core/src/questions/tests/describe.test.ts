import { describe, expect, test } from 'vitest';
import { parseQuestion, toWords } from '../index.ts';
import { describeFilters, describeMissing, titleInWords } from '../nearest.ts';

const describeQuestion = (q: string) => describeFilters(parseQuestion(q).filters);

describe('filters in a sentence', () => {
  test.each([
    ['14b q4 on a 3090', 'for 14b models on RTX 3090 in Q4_0, Q4_1 or 2 others'],
    ['70b on 8x h100', 'for 70b models on 8x H100'],
    ['llama 2 70b on 8 gpus', 'for Llama 2 70B on 8 GPUs'],
    ['how many users for llama 2 70b', 'for Llama 2 70B with concurrent users'],
    ['qwen3 8b with 32k context', 'for Qwen3 8B with a context of at least 32000 tokens'],
    ['llama 3.1 70b on apple', 'for Llama 3.1 70B on Apple'],
    ['llama 3.1 70b on amd', 'for Llama 3.1 70B on AMD'],
    ['best model on h100 or h200 or b200', 'on H100 or H200 or B200 SXM 180GB'],
  ])('%s', (q, expected) => {
    expect(describeQuestion(q)).toBe(expected);
  });

  test('names that contain "or" are not a list', () => {
    expect(describeFilters({ account: ['a or b or c or d'] })).toBe('from account "a or b or c or d"');
  });
});

test('writes the models of a size as the size', () => {
  const { interpretation: _, ignored: __, ...asked } = parseQuestion('fastest 70b on h100');
  expect(toWords(asked)).toBe('best system with the highest per user speed for 70b on h100');
});

test('states what kind of result was searched', () => {
  expect(describeMissing({ gpu: ['h100'] }, null, 'training')).toBe('There is no ranked training result on H100.');
  expect(describeMissing({ gpu: ['l4'] }, 'req_s')).toBe('No ranked result on L4 has request throughput.');
  expect([titleInWords('ttft_ms_p99'), titleInWords('output_tok_s')]).toEqual(['p99 TTFT', 'output throughput']);
});
