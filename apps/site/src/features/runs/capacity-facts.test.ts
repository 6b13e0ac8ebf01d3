import { describe, expect, test } from 'vitest';
import type { Run } from '../../lib/api.ts';
import { capacityFacts, capacityHeadline } from './capacity-facts.ts';

type Capacity = NonNullable<Run['capacity']>;
type Found = NonNullable<Capacity['found']>;

const found: Found = {
  ...{ end: 'found', level: 209.4, interval: { meets: 208, misses: 216 }, bound: 'ttft_p99<2000' },
  ...{ completed_req_s: 35.21, saturated_from: null, points: 13, requests: 14_088, text: '' },
};
const search = (of: Partial<Found> | null): Capacity => ({
  ...{ mode: 'concurrency', limits: ['ttft_p99<2000'], from: 1, to: 256 },
  budget: { points: 20, requests: 20_000, tokens: null, duration_s: 600 },
  found: of === null ? null : { ...found, ...of },
});
const factOf = (capacity: Capacity, fact: string, isOver = true) =>
  capacityFacts(capacity, isOver).find((one) => one.fact === fact)?.value;

describe('the headline', () => {
  test.each([
    [{}, true, '209 concurrent under ttft_p99<2000'],
    [{ end: null }, false, '209 concurrent under ttft_p99<2000, so far'],
    [{ end: 'lowest_fails' as const, level: null }, true, 'No load under ttft_p99<2000 was found.'],
    [{ end: null, level: null }, false, 'No load under ttft_p99<2000 found yet.'],
    [null, false, 'Searching for the highest load under ttft_p99<2000.'],
    [null, true, 'No point under ttft_p99<2000 was measured.'],
  ])('of %j states the result, or that there is none', (of, isOver, text) => {
    expect(capacityHeadline(search(of), isOver)).toBe(text);
  });
});

test('the facts list the interval, its bound, the budget and the reason for the end', () => {
  expect(capacityFacts(search({}), true).map(({ fact, value }) => `${fact}: ${value}`)).toEqual([
    'Meets the limits: 208 concurrent',
    'Misses a limit: 216 concurrent (3.8 % higher)',
    'Bound by: the limit ttft_p99<2000',
    'Completed below the limit: 35.2 req/s',
    'Measured: 13 points, 14,088 requests',
    'Searched: single request to 256 concurrent',
    'Budget: 20 points, 20,000 requests, 600 seconds',
    'Ended: The interval is narrow enough.',
  ]);
});

test('a running search has no end, and a search whose run ended says so', () => {
  expect(factOf(search({ end: null }), 'Ended', false)).toBeUndefined();
  expect(factOf(search({ end: null }), 'Ended', true)).toBe('The run ended before the search.');
  const open = { end: null, interval: { meets: 8, misses: null }, bound: null };
  expect(factOf(search(open), 'Misses a limit', false)).toBe('no load yet');
  expect(factOf(search({ interval: { meets: 2, misses: 3 } }), 'Misses a limit')).toBe('3 concurrent');
  expect(factOf(search({ bound: 'failures' }), 'Bound by')).toBe('failed requests');
});
