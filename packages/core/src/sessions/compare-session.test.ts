import { expect, test } from 'vitest';
import { compareSession, type SessionBlock } from './compare-session.ts';

const block = (
  server: 'a' | 'b',
  repetition: number,
  tpot: number,
  more: Partial<SessionBlock> = {},
): SessionBlock => ({
  ...{ server, repetition, item: 'chatbot/8', isPartial: false },
  ...{ ttft_ms_mean: 100, tpot_ms_mean: tpot, output_tok_s: null },
  ...more,
});
const pair = (repetition: number, a: number, b: number) => [block('a', repetition, a), block('b', repetition, b)];

test('gives the ratio of B to A, with an interval over the blocks', () => {
  const [ttft, tpot, ...others] =
    compareSession([...pair(1, 10, 11), ...pair(2, 20, 22.2), ...pair(3, 40, 43.6)]).get('chatbot/8') ?? [];
  expect(others).toEqual([]);
  expect(ttft).toMatchObject({ figure: 'ttft_ms_mean', ratio: 1, low: 1, high: 1, differs: false });
  // Logarithms of 1.1, 1.11 and 1.09: mean 0.095286, standard deviation 0.0090911, t(0.99, 2) = 9.92484.
  expect(tpot).toMatchObject({ figure: 'tpot_ms_mean', blocks: 3, differs: true });
  expect(tpot?.ratio).toBeCloseTo(1.09997, 4);
  expect(tpot?.low).toBeCloseTo(1.0441, 3);
  expect(tpot?.high).toBeCloseTo(1.1588, 3);
});

test('excludes blocks that one server did not finish', () => {
  const blocks = [...pair(1, 10, 10), ...pair(2, 10, 10), block('a', 3, 10), block('b', 3, 10, { isPartial: true })];
  expect(compareSession(blocks).get('chatbot/8')).toEqual([]);
  expect(compareSession([...blocks, block('a', 4, 10), ...pair(5, 10, 10)]).get('chatbot/8')).toHaveLength(2);
});

test('compares loads separately', () => {
  const other = [1, 2, 3].flatMap((at) => pair(at, 10, 30)).map((one) => ({ ...one, item: 'rag/1' }));
  const found = compareSession([...[1, 2, 3].flatMap((at) => pair(at, 10, 20)), ...other]);
  expect([...found].map(([item, [, tpot]]) => [item, Math.round(tpot?.ratio ?? 0)])).toEqual([
    ['chatbot/8', 2],
    ['rag/1', 3],
  ]);
});
