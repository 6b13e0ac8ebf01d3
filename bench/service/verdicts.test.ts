import { expect, it } from 'vitest';
import { createVerdicts } from './verdicts.ts';

function judge() {
  const lines: string[] = [];
  return { lines, verdicts: createVerdicts((line) => lines.push(line)) };
}

it('a figure equal to its target passes', () => {
  const { verdicts } = judge();
  verdicts.show(2, 'boards');
  verdicts.atLeast(250, { name: 'board', value: 250, unit: '/s' });
  verdicts.atLeast(250, { name: 'board', value: 249.9, unit: '/s' });
  verdicts.atMost(15, { name: 'page', value: 15, unit: 'ms' });
  verdicts.atMost(15, { name: 'page', value: 15.1, unit: 'ms' });
  expect(verdicts.all.map(({ show, verdict }) => [show, verdict])).toEqual([
    [2, 'held'],
    [2, 'missed'],
    [2, 'held'],
    [2, 'missed'],
  ]);
});

it('a figure that could not be measured fails', () => {
  const { lines, verdicts } = judge();
  verdicts.atMost(15, { name: 'page', value: Number.NaN, unit: 'ms' });
  verdicts.atLeast(15, { name: 'page', value: Number.NaN, unit: 'ms' });
  expect(verdicts.all.map(({ verdict }) => verdict)).toEqual(['missed', 'missed']);
  expect(lines[0]).toMatch(/missed.*not measured/);
});

it('prints the figure, its target and the reference figure', () => {
  const { lines, verdicts } = judge();
  const bare = { name: '/healthz', value: 21_000, unit: '/s' };
  verdicts.atLeast(8000, { name: 'board', value: 9812.4, unit: '/s', bare });
  verdicts.print({ name: 'share', value: 0.467, unit: '' });
  expect(lines[0]?.replaceAll(/ +/g, ' ')).toBe(' held board 9,812 /s at least 8,000 /s bare 21,000 /s (/healthz)');
  expect(lines[1]?.replaceAll(/ +/g, ' ')).toBe(' share 0.47');
  expect(verdicts.all[1]).toMatchObject({ verdict: 'no bar', bar: null, bare: null });
});
