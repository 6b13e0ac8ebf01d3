import { expect, test } from 'vitest';
import { toBar } from './matrix-grid.ts';

type Cell = Parameters<typeof toBar>[0];

test('all bars of a panel have the unit of its axis', () => {
  const bar = (value: number) =>
    toBar({ value, statistics: { n: 1, ci95: null }, system: { id: 'sys_1' }, source: null } as unknown as Cell, 'ms'); // only what a bar shows
  expect([bar(8145)?.short, bar(13_410)?.short]).toEqual(['8,145 ms', '13,410 ms']);
  expect(bar(13_410)?.text).toBe('13,410 ms');
});
