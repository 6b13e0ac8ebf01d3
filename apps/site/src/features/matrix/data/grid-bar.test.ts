import { expect, test } from 'vitest';
import { markOthers, toBar } from './matrix-grid.ts';

type Cell = Parameters<typeof toBar>[0];

test('all bars of a panel have the unit of its axis', () => {
  const bar = (value: number) =>
    toBar({ value, statistics: { n: 1, ci95: null }, system: { id: 'sys_1' }, source: null } as unknown as Cell, 'ms'); // only what a bar shows
  expect([bar(8145)?.short, bar(13_410)?.short]).toEqual(['8,145 ms', '13,410 ms']);
  expect(bar(13_410)?.text).toBe('13,410 ms');
});

test('a p99 of another system than the mean is marked, because it can be below the mean', () => {
  const bar = (id: string, value: number) =>
    toBar({ value, statistics: { n: 1, ci95: null }, system: { id }, source: null } as unknown as Cell, 'ms'); // only what a bar shows
  const [mean, other, same] = [bar('sys_1', 8246), bar('sys_2', 6965), bar('sys_1', 9000)];
  const marked = markOthers([mean, other]);
  expect(marked.map((each) => each?.short)).toEqual(['8,246 ms', '6,965 ms *']);
  expect(marked.map((each) => each?.basis)).toEqual(['n 1', 'n 1, another system']);
  expect(markOthers([mean, same])).toEqual([mean, same]);
  expect(markOthers([null, other])).toEqual([null, other]);
});
