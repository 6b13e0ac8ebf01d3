import { expect, test } from 'vitest';
import { type GivenRow, tableOf } from '../testing/point-table.ts';
import { usageOf } from './usage.ts';

const row = (point: number, system: string, rest: Partial<GivenRow> = {}): GivenRow => ({
  point,
  system,
  values: { req_s: 1 },
  ...rest,
});
const table = tableOf([
  row(1, 'a', { gpu: 'h100-sxm' }),
  // Another formula of the same point.
  row(1, 'a', { gpu: 'h100-sxm', variant: 1 }),
  row(2, 'a', { gpu: 'h100-sxm', scenario: 'summary' }),
  row(2, 'a', { gpu: 'h100-sxm', scenario: 'summary', status: 'quarantined' }),
  row(3, 'b', { gpu: 'b200' }),
  row(4, 'c', { gpu: 'l4', status: 'retracted' }),
]);
const counts = (kind: 'gpu' | 'scenario' | 'model') =>
  Object.fromEntries(usageOf(table, kind).map(({ value, points }) => [value, points]));

test('a point counts once, whatever formulas it has, and only what ranks', () => {
  expect(counts('gpu')).toEqual({ 'h100-sxm': 2, b200: 1 });
  expect(counts('scenario')).toEqual({ chatbot: 2, summary: 1 });
  expect(counts('model')).toEqual({ 'llama-3.1-8b': 3 });
});

test('what the catalogue does not know is named by one of its systems', () => {
  const systems = table.systems.map((system, place) => ({
    ...system,
    gpuId: null,
    gpuFamily: null,
    gpuKey: `g${place}`,
  }));
  expect(usageOf({ ...table, systems }, 'gpu')).toEqual([
    { value: null, system: 'a', points: 2 },
    { value: null, system: 'b', points: 1 },
  ]);
});
