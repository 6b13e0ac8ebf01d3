import { expect, test } from 'vitest';
import { nextTime } from './next-time.ts';

const next = (cron: string, timeZone: string, after: string) =>
  nextTime(cron, timeZone, new Date(after))?.toISOString() ?? null;

/** A sequence of next times. */
function times(cron: string, timeZone: string, after: string, count: number): (string | null)[] {
  const found: (string | null)[] = [];
  for (let at: string | null = after; found.length < count && at !== null; ) {
    at = next(cron, timeZone, at);
    found.push(at);
  }
  return found;
}

test.each([
  ['0 12 * * *', 'UTC', '2026-11-21T11:59:59.999Z', '2026-11-21T12:00:00.000Z'],
  ['*/15 * * * *', 'UTC', '2026-11-21T12:07:00Z', '2026-11-21T12:15:00.000Z'],
  ['30 6 * * MON', 'UTC', '2026-11-21T12:00:00Z', '2026-11-23T06:30:00.000Z'],
  ['0 9 * * *', 'America/New_York', '2026-11-21T12:00:00Z', '2026-11-21T14:00:00.000Z'],
  ['0 9 * * *', 'Asia/Kathmandu', '2026-11-21T12:00:00Z', '2026-11-22T03:15:00.000Z'],
  ['0 0 29 2 *', 'UTC', '2026-11-21T12:00:00Z', '2028-02-29T00:00:00.000Z'],
])('%s in %s after %s', (cron, timeZone, after, expected) => {
  expect(next(cron, timeZone, after)).toBe(expected);
});

// Otherwise a schedule would create a second run within the same moment.
test.each(['2026-11-21T12:00:00.000Z', '2026-11-21T12:00:00.999Z'])('is strictly after %s', (after) => {
  expect(next('0 12 * * *', 'UTC', after)).toBe('2026-11-22T12:00:00.000Z');
});

test('keeps the local time of day when the clocks change', () => {
  expect(times('0 9 * * *', 'Europe/Berlin', '2026-03-28T00:00:00Z', 2)).toEqual([
    '2026-03-28T08:00:00.000Z',
    '2026-03-29T07:00:00.000Z',
  ]);
});

test('moves a time that daylight saving skips to the end of the gap', () => {
  expect(times('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', 2)).toEqual([
    '2026-03-29T01:00:00.000Z',
    '2026-03-30T00:30:00.000Z',
  ]);
});

test('counts a time that occurs twice only once', () => {
  expect(times('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', 2)).toEqual([
    '2026-10-25T00:30:00.000Z',
    '2026-10-26T01:30:00.000Z',
  ]);
});

test('continues every hour when the clocks change', () => {
  expect(times('0 * * * *', 'Europe/Berlin', '2026-10-24T23:30:00Z', 3)).toEqual([
    '2026-10-25T00:00:00.000Z',
    '2026-10-25T01:00:00.000Z',
    '2026-10-25T02:00:00.000Z',
  ]);
  expect(times('0 * * * *', 'Europe/Berlin', '2026-03-28T23:30:00Z', 3)).toEqual([
    '2026-03-29T00:00:00.000Z',
    '2026-03-29T01:00:00.000Z',
    '2026-03-29T02:00:00.000Z',
  ]);
});

test('has no time for a day that never occurs', () => {
  expect(next('0 0 30 2 *', 'UTC', '2026-11-21T12:00:00Z')).toBeNull();
});

test.each([
  ['often', 'UTC'],
  ['* * * * * *', 'UTC'],
  ['61 * * * *', 'UTC'],
  ['0 12 * * *', 'Mars/Olympus'],
])('rejects %s in %s', (cron, timeZone) => {
  expect(() => next(cron, timeZone, '2026-11-21T12:00:00Z')).toThrow();
});
