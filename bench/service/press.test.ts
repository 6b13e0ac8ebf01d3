import { expect, it } from 'vitest';
import { median } from './cost.ts';
import { press, together } from './press.ts';
import { neverAsked } from './show-2-boards.ts';

const pace = { clients: 3, ms: 60_000 };

it('runs each choice once, over all clients', async () => {
  const done: number[] = [];
  const seen = new Set<number>();
  const { times } = await press({ ...pace, choices: 10, isOnce: true }, async (choice, client) => {
    done.push(choice);
    seen.add(client);
  });
  expect(done.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(times).toHaveLength(10);
  expect(seen).toEqual(new Set([0, 1, 2]));
});

it('starts again after the last choice until the time is over', async () => {
  const done: number[] = [];
  await press({ clients: 1, ms: 20, choices: 2, isOnce: false }, async (choice) => {
    done.push(choice);
    await new Promise((resolve) => setImmediate(resolve));
  });
  expect(done.length).toBeGreaterThan(2);
  expect(done.slice(0, 4)).toEqual([0, 1, 0, 1]);
});

it('the median of an even number of values is the mean of the middle two', () => {
  expect(median([9, 1, 5])).toBe(5);
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(median([])).toBeNaN();
});

it('requests a board with different bounds each time, and the same other parameters', () => {
  const asked = Array.from({ length: 100 }, () => neverAsked('/v1/leaderboard?rank_by=req_s&max_itl_ms=20&gpu=h100'));
  expect(new Set(asked).size).toBe(100);
  for (const path of asked) {
    const { searchParams } = new URL(path, 'http://localhost');
    expect(Number(searchParams.get('max_itl_ms'))).toBeCloseTo(20, 3);
    expect([searchParams.get('rank_by'), searchParams.get('gpu')]).toEqual(['req_s', 'h100']);
  }
});

it('counts failures and continues', async () => {
  const { times, failed, fault } = await press({ ...pace, choices: 5, isOnce: true }, async (choice) => {
    if (choice % 2 === 1) throw new Error(`choice ${choice}`);
  });
  expect([times.length, failed, fault]).toEqual([3, 2, 'choice 1']);
});

it('combines the results of concurrent processes', () => {
  const round = { times: Float64Array.of(1, 2), took_ms: 10, cpu_ms: 4, failed: 0, fault: null };
  const other = { ...round, times: Float64Array.of(3), took_ms: 12, failed: 1, fault: 'gone' };
  expect(together([round, other])).toEqual({
    ...{ times: Float64Array.of(1, 2, 3), took_ms: 12, cpu_ms: 8 },
    ...{ failed: 1, fault: 'gone' },
  });
});
