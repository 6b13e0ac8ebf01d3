import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareOverWorkloads, geometricMean, type Workload } from './geometric-mean.ts';

test('of 2 and 8 is 4', () => {
  expect(geometricMean([2, 8])).toBeCloseTo(4, 12);
  expect(geometricMean([5, 0])).toBe(0);
  expect(geometricMean([])).toBeNull();
});

test('does not overflow', () => {
  expect((geometricMean([1e300, 1e300, 1e300]) ?? 0) / 1e300).toBeCloseTo(1, 9);
});

test.each([[[-1, 2]], [[Number.NaN]]])('%j has none', (values) => {
  expect(() => geometricMean(values)).toThrow(RangeError);
});

// The second entry is twice as fast under one workload and half as fast under the other: a draw, whatever the units.
test('entries that win one workload each by the same ratio are level', () => {
  const overall = compareOverWorkloads([
    { direction: 'higher', values: [1000, 2000] },
    { direction: 'lower', values: [5, 10] },
  ]);
  expect(overall.map(({ counted }) => counted)).toEqual([2, 2]);
  for (const { mean } of overall) expect(mean).toBeCloseTo(Math.SQRT1_2, 12);
});

test('an entry that misses a workload has no mean', () => {
  const workloads: Workload[] = [
    { direction: 'higher', values: [100, 50, null] },
    { direction: 'higher', values: [null, 50, null] },
  ];
  const [first, second, third] = compareOverWorkloads(workloads);
  expect(first).toEqual({ mean: null, counted: 1 });
  expect(second?.mean).toBeCloseTo(Math.SQRT1_2, 12);
  expect(third).toEqual({ mean: null, counted: 0 });
});

test('zero is a measurement', () => {
  expect(compareOverWorkloads([{ direction: 'higher', values: [0, 5] }]).map(({ mean }) => mean)).toEqual([0, 1]);
  expect(compareOverWorkloads([{ direction: 'higher', values: [0, 0] }]).map(({ mean }) => mean)).toEqual([1, 1]);
  expect(compareOverWorkloads([{ direction: 'lower', values: [0, 5] }]).map(({ mean }) => mean)).toEqual([1, 0]);
});

test('no workloads, no entries; lists of different lengths and values below 0 are refused', () => {
  expect(compareOverWorkloads([])).toEqual([]);
  const one: Workload = { direction: 'higher', values: [1] };
  expect(() => compareOverWorkloads([one, { direction: 'higher', values: [1, 2] }])).toThrow(RangeError);
  expect(() => compareOverWorkloads([{ direction: 'higher', values: [-1, 2] }])).toThrow(RangeError);
});

const value = fc.double({ min: 1e-3, max: 1e6, noNaN: true });
const table = fc.integer({ min: 1, max: 6 }).chain((entries) =>
  fc.array(
    fc.record({
      direction: fc.constantFrom('lower' as const, 'higher' as const),
      values: fc.array(value, { minLength: entries, maxLength: entries }),
    }),
    { minLength: 1, maxLength: 6 },
  ),
);

test('does not depend on the units of the workloads', () => {
  fc.assert(
    fc.property(table, fc.double({ min: 1e-3, max: 1e3, noNaN: true }), (workloads, factor) => {
      const scaled = workloads.map((workload, i) =>
        i === 0 ? { ...workload, values: workload.values.map((own) => own * factor) } : workload,
      );
      const before = compareOverWorkloads(workloads);
      for (const [entry, { mean }] of compareOverWorkloads(scaled).entries()) {
        expect(mean ?? 0).toBeCloseTo(before[entry]?.mean ?? Number.NaN, 9);
        expect(mean ?? 0).toBeLessThanOrEqual(1 + 1e-12);
      }
    }),
  );
});
