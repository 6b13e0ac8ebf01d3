import { expect, test } from 'vitest';
import { EventLog } from './event-log.ts';

test.each([
  ['small pages', 100_000, 200_000],
  ['large pages', 600_000, 1_200_000],
])('returns timestamps by row, in order, over many %s', (_, expected, events) => {
  const rows = 7;
  const log = new EventLog(expected, rows);
  // Events of rows 0 to 4 in turn. Row 5 is added late with earlier timestamps, and row 6 has none.
  for (let at = 0; at < events; at++) log.add(at % 5, at);
  log.add(5, 30);
  log.add(5, 10);
  log.add(5, 20);
  const { offsets, stamps } = log.take();
  expect(stamps).toHaveLength(events + 3);
  for (let row = 0; row < 5; row++) {
    const own = stamps.subarray(offsets[row], offsets[row + 1]);
    expect(own).toHaveLength(events / 5);
    expect([own[0], own[1], own.at(-1)]).toEqual([row, row + 5, events - 5 + row]);
  }
  expect(Array.from(stamps.subarray(offsets[5], offsets[6]))).toEqual([10, 20, 30]);
  expect(offsets[7]).toBe(offsets[6]);
  expect(log.take().stamps).toHaveLength(0);
});

test('supports any number of rows', () => {
  for (const rows of [65_535, 65_536, 65_537, 100_000]) {
    const log = new EventLog(0, rows);
    for (const row of [rows - 1, 0, rows - 1]) log.add(row, row + 1);
    const { offsets, stamps } = log.take();
    expect(Array.from(stamps)).toEqual([1, rows, rows]);
    expect([offsets[1], offsets[rows - 1], offsets[rows]]).toEqual([1, 1, 3]);
  }
});
