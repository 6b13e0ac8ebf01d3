import { describe, expect, test } from 'vitest';
import { withRecords } from '../../records/attach.ts';
import type { RequestRecord } from '../../records.ts';
import { makeRequest } from '../../testing/requests.ts';
import { answerOf, doubtsOf, makeResult, type ResultWords } from '../../testing/result.ts';
import { simulateRun } from '../../testing/simulate.ts';
import { r10ConstantSpeed } from './r10-constant-speed.ts';

const many = (count: number, of: (index: number) => Partial<RequestRecord>) =>
  Array.from({ length: count }, (_, index) => makeRequest(of(index)));

/** The outcome of the check in one word. */
function outcome(words: ResultWords, requests: readonly RequestRecord[]): string {
  const answer = answerOf(r10ConstantSpeed, withRecords(makeResult(words), requests));
  return typeof answer === 'string' ? answer : (answer[0]?.severity ?? 'nothing');
}

test('R10 does not apply without records', () => {
  const result = makeResult({ load: { mode: 'concurrency', level: 4 }, metrics: { e2e_ms_mean: 1000 } });
  expect(answerOf(r10ConstantSpeed, result)).toBe('not_applicable');
});

describe('R10, a system whose speed changes', () => {
  const load = { mode: 'concurrency', level: 4 } as const;
  /** Requests of 4 users; the latency is a function of the share of the run that is over. */
  const run = (
    count: number,
    e2eMs: (share: number) => number,
    more: (share: number) => Partial<RequestRecord> = () => ({}),
  ) => many(count, (index) => ({ sentS: index, e2eMs: e2eMs(index / count), ...more(index / count) }));

  test.each([
    ['constant', () => 1000, 'pass'],
    // Medians of the first and the last quarter: 1125 and 1875 (ratio 1.67), and 1012 and 1088 (1.07).
    ['growing to twice as much', (share: number) => 1000 + 1000 * share, 'warning'],
    ['growing by a tenth', (share: number) => 1000 + 100 * share, 'pass'],
    ['falling to half', (share: number) => 2000 - 1000 * share, 'warning'],
    ['falling by a tenth', (share: number) => 1100 - 100 * share, 'pass'],
    ['a little higher in one quarter only', (share: number) => (share > 0.25 && share < 0.5 ? 1200 : 1000), 'pass'],
    ['higher in one quarter only', (share: number) => (share > 0.25 && share < 0.5 ? 1400 : 1000), 'warning'],
    // Medians of quarters of 48 requests that vary by a factor of two differ by a tenth by chance.
    ['noisy', (share: number) => 1000 + 1000 * ((share * 997) % 1), 'pass'],
    ['longer in the last quarter', (share: number) => (share >= 0.75 ? 1200 : 1000), 'warning'],
  ])('for a latency that is %s: %s', (_, e2eMs, expected) => {
    expect(outcome({ load }, run(200, e2eMs))).toBe(expected);
  });

  test('states both medians', () => {
    const requests = run(208, (share) => (share < 0.5 ? 1000 : 1500));
    expect(doubtsOf(r10ConstantSpeed, withRecords(makeResult({ load }), requests))).toMatchObject([
      {
        message: expect.stringContaining(
          'grew from 1000 ms in the first quarter of the run to 1500 ms in the last: the system became slower',
        ),
        evidence: { e2e_ms_quarters: [1000, 1000, 1500, 1500] },
      },
    ]);
    const warming = run(208, (share) => (share < 0.5 ? 1500 : 1000));
    expect(doubtsOf(r10ConstantSpeed, withRecords(makeResult({ load }), warming))).toMatchObject([
      {
        message: expect.stringContaining(
          'fell from 1500 ms in the first quarter of the run to 1000 ms in the last: the system became faster',
        ),
      },
    ]);
  });

  // 4 users: 48 requests leave 40, ten in each quarter.
  test.each([
    [48, 'warning'],
    [47, 'not_applicable'],
  ])('for %d requests: %s', (count, expected) => {
    expect(
      outcome(
        { load },
        run(count, (share) => 1000 + 1000 * share),
      ),
    ).toBe(expected);
  });

  // The queue of the first requests is short, and so is that of the last.
  test('excludes as many requests at both ends as are in flight', () => {
    const requests = many(200, (index) => ({ sentS: index, e2eMs: index < 4 ? 1 : index < 196 ? 1000 : 9000 }));
    expect(outcome({ load }, requests)).toBe('pass');
  });

  test('does not apply if later requests are longer, to conversations, or to other loads', () => {
    const slower = (share: number) => 1000 + 1000 * share;
    const longer = run(200, slower, (share) => ({ outputTokens: Math.round(100 + 100 * share) }));
    expect(outcome({ load }, longer)).toBe('not_applicable');
    expect(outcome({ load, extra: { multi_turn: true } }, run(200, slower))).toBe('not_applicable');
    expect(outcome({ load: { mode: 'burst', level: 4 } }, run(200, slower))).toBe('not_applicable');
  });

  test('passes for simulated systems with a constant speed', () => {
    const runs = Array.from({ length: 100 }, (_, seed) => simulateRun(seed + 1, { mode: 'concurrency', rounds: 40 }));
    const warned = runs.filter(
      ({ result, requests }) => doubtsOf(r10ConstantSpeed, withRecords(result, requests)).length > 0,
    );
    expect(warned.map(({ result }) => result.load)).toEqual([]);
  });
});
