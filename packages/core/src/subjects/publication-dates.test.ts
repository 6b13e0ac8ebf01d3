import { expect, test } from 'vitest';
import { mlperfRounds } from './publication-dates.ts';

// The dates are compared as text.
test('has later dates for later rounds, all without a time', () => {
  const dates = Object.entries(mlperfRounds)
    .toSorted(([a], [b]) => Number(a) - Number(b))
    .map(([, date]) => date);
  expect(dates).toEqual(dates.toSorted());
  for (const date of dates) expect(new Date(`${date}T00:00:00Z`).toISOString().slice(0, 10)).toBe(date);
});
