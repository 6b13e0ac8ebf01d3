import { expect, test } from 'vitest';
import type { Result } from '../../../lib/api.ts';
import { groupFindings } from './finding-view.ts';

const resultOf = (id: string, ...findings: [severity: string, code: string, message: string][]) =>
  ({
    id,
    findings: findings.map(([severity, code, message]) => ({ severity, code, message })),
  }) as unknown as Result; // only what a list of findings reads

const group = (...results: Result[]) => groupFindings(results, ({ id }) => ({ href: `#${id}`, text: String(id) }));
const short = (at: number) => `The run had 16 requests in ${at}.5 s.`;

test('findings that differ in numbers only are one group', () => {
  const [warning, note, ...more] = group(
    resultOf('a', ['info', 'short_run', short(7)], ['warning', 'late', 'Reads were late.']),
    resultOf('b', ['info', 'short_run', short(8)]),
    resultOf('c', ['info', 'short_run', short(8)]),
  );
  expect(more).toEqual([]);
  expect(warning).toMatchObject({ count: 1, similar: [], links: [{ href: '#a' }] });
  // The one of the most results comes first.
  expect(note).toMatchObject({ count: 2, finding: { message: short(8) }, links: [{ href: '#b' }, { href: '#c' }] });
  expect(note?.similar).toMatchObject([{ count: 1, finding: { message: short(7) } }]);
});

test('findings of other words, codes or severities are groups of their own', () => {
  const groups = group(
    resultOf(
      'a',
      ['info', 'x', 'Took 1 s.'],
      ['info', 'y', 'Took 2 s.'],
      ['warning', 'x', 'Took 3 s.'],
      ['info', 'x', 'Took 4 ms.'],
    ),
  );
  expect(groups.map(({ similar }) => similar)).toEqual([[], [], [], []]);
});

test('a long group lists twenty and counts the rest', () => {
  const [only] = group(...Array.from({ length: 30 }, (_, at) => resultOf(`r${at}`, ['info', 'short_run', short(at)])));
  expect([only?.similar.length, only?.unlisted]).toEqual([20, 9]);
});
