import { expect, test } from 'vitest';
import { offersFor } from '../index.ts';

test.each([
  [
    'fastest gpu over 1.500 tok/s',
    'best gpu with the highest per user speed with output throughput at least 1500 tok/s',
  ],
  ['best gpu under €2 per hour', 'best gpu at most $2 an hour'],
  ['best gpu under 2 euros per hour', 'best gpu at most $2 an hour'],
  ['cheapest gpu under £ 1,50 an hour', 'best gpu with the lowest cost at most $1.5 an hour'],
  ['exl3 llama 3.1 70b', 'best system for llama-3.1-70b in quantization "exl3"'],
  ['mtp vs no mtp deepseek r1 b200', 'best system for deepseek-r1 on b200-sxm'],
  ['who is winning nvidia or amd', 'nvidia vs amd'],
])('%s: the closest question', (q, offer) => {
  expect(offersFor(q)[0]).toBe(offer);
});

test('an ambiguous name is also left out', () => {
  expect(offersFor('exl3 llama 3.1 70b')[1]).toBe('best system for llama-3.1-70b');
});
