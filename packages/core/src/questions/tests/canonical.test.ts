import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DomainError } from '../../errors.ts';
import { parseQuestion, type Question, toWords } from '../index.ts';

const today = '2026-09-15';
const phrases = [
  ...[
    'best',
    'top',
    'fastest',
    'lowest',
    'cheapest',
    'by',
    'for',
    'on',
    'with',
    'and',
    'or',
    'under',
    'over',
    'at least',
  ],
  ...['p99', 'ttft', 'throughput', 'tok/s', 'per user', '20ms', '5', '2x', 'h100', 'h200', '4090', 'm4 max', '3090s'],
  ...['a100 80gb', 'llama 3.1 8b', 'qwen3 30b', 'llama', 'qwen', '70b', '8b', 'fp8', 'int4', 'awq', 'vllm', 'sglang'],
  ...['vllm 0.10', 'rag', 'vs', 'compare', 'not', 'except', 'how fast', 'how many users', 'can i run', 'fit', '24 gb'],
  ...[
    'amd',
    'nvidia',
    'mac',
    'since march',
    'last month',
    'better',
    'faster',
    '32k context',
    'under $2 an hour',
    'gpu',
  ],
  ...['tokens per dollar', 'more than 8 users', 'power limit 300 W', 'model', 'engine', 'what', 'the', 'deepseak'],
];

function read(text: string): Omit<Question, 'interpretation' | 'ignored'> | null {
  try {
    const { interpretation: _, ignored: __, ...question } = parseQuestion(text, { today });
    return question;
  } catch (error) {
    if (error instanceof DomainError) return null;
    throw error;
  }
}

test('gives canonical words with the same meaning as the question', () => {
  const texts = fc.array(fc.constantFrom(...phrases), { minLength: 1, maxLength: 6 }).map((all) => all.join(' '));
  fc.assert(
    fc.property(texts, (text) => {
      const question = read(text);
      fc.pre(question !== null);
      if (question === null) return;
      const words = toWords(question);
      fc.pre(words.length <= 500 && words.split(/\s+/u).length <= 75);
      expect(read(words), `${text} → ${words}`).toEqual(question);
    }),
    { numRuns: 1500 },
  );
});
