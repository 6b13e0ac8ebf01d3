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
