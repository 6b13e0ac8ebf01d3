import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findOutliers } from './outliers.ts';

test('finds one slow run of five with both tests', () => {
  const found = findOutliers([100, 101, 99, 100.5, 87]);
  expect(found).toHaveLength(1);
  expect(found[0]).toMatchObject({ index: 4, value: 87 });
  const [grubbs, z] = found[0]?.tests ?? [];
  expect(grubbs).toMatchObject({ test: 'grubbs', critical: 1.715 });
  expect(grubbs?.statistic).toBeCloseTo(1.7748, 4);
  expect(z).toMatchObject({ test: 'modified_z', critical: 3.5 });
  expect(z?.statistic).toBeCloseTo(-8.77, 2);
});

// Three repetitions are common. The test has very little power there, but not none.
test('finds the third of three repetitions if the other two are close', () => {
  const [found] = findOutliers([4943.59, 2898.23, 4907.82]);
  expect(found).toMatchObject({ index: 1, value: 2898.23 });
  expect(found?.tests).toHaveLength(1);
  expect(found?.tests[0]?.statistic).toBeCloseTo(1.15457, 5);
});

test.each([[[1526.74, 4153.26, 3906.77]], [[1, 2]], [[5]], [[]], [[3, 3, 3, 3, 3, 3]], [[0.1, 0.1, 0.1]]])(
  'finds no outlier in %j',
  (values) => {
    expect(findOutliers(values)).toEqual([]);
  },
);

test('uses only the modified z-score for more than ten values', () => {
  const found = findOutliers([10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 90]);
  expect(found.map(({ index }) => index)).toEqual([11]);
  expect(found[0]?.tests.map(({ test: name }) => name)).toEqual(['modified_z']);
});

test('returns only values beyond the critical value', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { maxLength: 20 }), (values) => {
      for (const { index, value, tests } of findOutliers(values)) {
        expect(values[index]).toBe(value);
        expect(tests.length).toBeGreaterThan(0);
        for (const { statistic, critical } of tests) expect(Math.abs(statistic)).toBeGreaterThan(critical);
      }
    }),
  );
});
