import { expect, test } from 'vitest';
import { type Answer, groupByLoad } from './catalogue-answers.ts';

const answer = (id: string, load: string | null, level: number | null = null) =>
  ({ preset: { id }, best: load === null ? null : { load, level } }) as unknown as Answer; // only what the groups depend on

test('groups the answers by load, the lowest first, and those without an answer last', () => {
  const groups = groupByLoad([
    answer('none', null),
    answer('most', '128 concurrent', 128),
    answer('fastest', 'single request', 1),
    answer('fluid', '128 concurrent', 128),
  ]);
  expect(groups.map(({ load, answers }) => [load, answers.map(({ preset }) => preset.id)])).toEqual([
    ['single request', ['fastest']],
    ['128 concurrent', ['most', 'fluid']],
    [null, ['none']],
  ]);
});
