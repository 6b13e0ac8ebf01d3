import { expect, test } from 'vitest';
import { parseQuestion } from '../index.ts';

test.each([
  ['fastest quantization of llama 3.1 8b within 1 % of bf16 on gsm8k', { quality_within: ['gsm8k:bf16:0.01'] }],
  ['best model with at least 75% on gsm8k on h100', { min_quality: ['gsm8k:0.75'], gpu: ['h100'] }],
  ['best model over 0.6 on mmlu pro', { min_quality: ['mmlu_pro:0.6'] }],
  ['cheapest gpu for llama 3.1 8b over 50 tok/s per user within 0.5% of bf16 on mmlu', { min_user_tok_s: 50 }],
])('%s', (q, filters) => {
  expect(parseQuestion(q).filters).toMatchObject(filters);
});

test('lists the interpretation of a quality bound', () => {
  const { interpretation } = parseQuestion('best quantization of llama 3.1 8b within 1 % of bf16 on gsm8k');
  expect(interpretation).toContainEqual({
    phrase: 'within 1 % of bf16 on gsm8k',
    meaning: 'quality_within=gsm8k:bf16:0.01',
  });
});

test.each(['best model over 75 on gsm8k', 'best model within 1 % of bf16', 'best model under 75 % on gsm8k'])(
  'rejects an ambiguous bound: %s',
  (q) => {
    expect(() => parseQuestion(q)).toThrow();
  },
);
