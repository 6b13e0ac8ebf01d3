import { describe, expect, test } from 'vitest';
import { dayOf, type Reading, splitDays, sumUp, toFigure } from './change-figures.ts';

const reading = (value: number, over: Partial<Reading> = {}): Reading => ({
  id: `res_${value}`,
  submissionId: 'sub_1',
  value,
  repeats: null,
  definition: null,
  measuredAt: null,
  createdAt: '2026-11-21T12:00:00Z',
  ...over,
});

describe('readings', () => {
  // 98, 100, 102: mean 100, sd 2, interval 100 +- 4.302653 * 2 / sqrt(3).
  test('are summarized with n, mean, sd and interval', () => {
    const summed = sumUp([reading(98), reading(100), reading(102)]);
    expect(summed).toMatchObject({ n: 3, mean: 100, sd: 2, results: 3, measuredAt: null });
    expect(summed?.ci95?.[0]).toBeCloseTo(100 - (4.302653 * 2) / Math.sqrt(3), 5);
    expect(sumUp([])).toBeNull();
  });

  test('that a tool averaged keep their n and sd', () => {
    const averaged = (n: number | null) => sumUp([reading(100, { repeats: { n, sd: 2, samples: null } })]);
    expect(averaged(5)).toMatchObject({ n: 5, sd: 2, results: 1 });
    // The number is unknown, so it counts as one in a comparison.
    expect(averaged(null)).toMatchObject({ n: null, ci95: null });
    expect(
      toFigure(
        averaged(null) ?? {
          ...reading(1),
          n: 9,
          mean: 1,
          sd: 1,
          ci95: null,
          results: 1,
          createdAt: ['', ''],
          measuredAt: null,
        },
      ).n,
    ).toBe(1);
  });

  test('have a time range of measurement and of storage', () => {
    const summed = sumUp([
      reading(1, { measuredAt: '2026-05-02T23:00:00-02:00', createdAt: '2026-11-21T12:00:00Z' }),
      reading(2, { createdAt: '2026-11-20T12:00:00Z' }),
      reading(3, { measuredAt: '2026-05-02T23:30:00Z', createdAt: '2026-11-22T12:00:00Z' }),
    ]);
    expect(summed?.measuredAt).toEqual(['2026-05-02T23:30:00Z', '2026-05-02T23:00:00-02:00']);
    expect(summed?.createdAt).toEqual(['2026-11-20T12:00:00Z', '2026-11-22T12:00:00Z']);
  });
});

describe('days', () => {
  test('are in UTC, by time of measurement, otherwise of storage', () => {
    expect(dayOf(reading(1, { measuredAt: '2026-05-02T23:00:00-02:00' }))).toBe('2026-05-03');
    expect(dayOf(reading(1))).toBe('2026-11-21');
  });

  test('are oldest first, each with all earlier readings', () => {
    const on = (day: string, value: number) => reading(value, { measuredAt: `2026-05-${day}T00:00:00Z` });
    const days = splitDays([on('03', 5), on('01', 2), on('02', 3), on('01', 1)]);
    expect(days.map(({ day, readings, before }) => [day, readings.map((r) => r.value), before.length])).toEqual([
      ['2026-05-01', [1, 2], 0],
      ['2026-05-02', [3], 2],
      ['2026-05-03', [5], 3],
    ]);
  });
});
