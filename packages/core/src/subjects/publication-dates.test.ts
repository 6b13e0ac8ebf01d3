import { expect, test } from 'vitest';
import { mlperfRounds } from './publication-dates.ts';

// The dates are compared as text.
test('later rounds have later dates, and all are days', () => {
  const dates = Object.entries(mlperfRounds)
    .toSorted(([a], [b]) => Number(a) - Number(b))
    .map(([, date]) => date);
  expect(dates).toEqual(dates.toSorted());
  for (const date of dates) expect(new Date(`${date}T00:00:00Z`).toISOString().slice(0, 10)).toBe(date);
});
