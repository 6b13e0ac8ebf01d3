import { expect, test } from 'vitest';
import { databaseProblem, isConflict, isDatabaseDown, isDiskFull } from './errors.ts';

const coded = (code: string) => Object.assign(new Error(code), { code });

test.each([
  ['ECONNREFUSED', 'down'],
  ['CONNECTION_CLOSED', 'down'],
  ['57P01', 'down'],
  ['08006', 'down'],
  ['53100', 'down'],
  ['57014', 'timeout'],
  ['53300', 'busy'],
  ['53200', 'busy'],
  ['40P01', 'busy'],
  ['40001', 'busy'],
  ['55P03', 'busy'],
  ['23505', null],
  ['22P02', null],
])('%s is classified as %s', (code, problem) => {
  expect(databaseProblem(coded(code))).toBe(problem);
  const buried = new Error('query failed', { cause: new Error('again', { cause: coded(code) }) });
  expect(databaseProblem(buried)).toBe(problem);
  expect(isDatabaseDown(buried)).toBe(problem === 'down');
  expect(isDiskFull(buried)).toBe(code === '53100');
});

test('isConflict is true for errors that a retry may resolve', () => {
  expect(
    ['40001', '40P01', '57014', '53300'].map((code) => isConflict(new Error('x', { cause: coded(code) }))),
  ).toEqual([true, true, false, false]);
});

test('returns null for other errors', () => {
  for (const thrown of [new Error('x'), 'text', null, undefined, { code: '57014' }]) {
    expect(databaseProblem(thrown)).toBeNull();
  }
});
