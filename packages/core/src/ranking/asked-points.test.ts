import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Filters, noFilters } from '../filters/filters.ts';
import { pointStatistics } from '../statistics/point-statistics.ts';
import { type GivenRow, tableOf } from '../testing/point-table.ts';
import { findAskedPoints } from './asked-points.ts';

const figures = fc.array(fc.double({ min: 0.001, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 12 });

test('a point that has a result within a bound is never missed, whatever its other results are', () => {
  fc.assert(
    fc.property(fc.array(figures, { minLength: 1, maxLength: 6 }), fc.nat(), (points, choice) => {
      const all = points.flat();
      const value = all[choice % all.length] ?? 0;
      const rows = points.map((values, place): GivenRow => {
        const { n, mean, sd } = pointStatistics(values.map((one) => ({ value: one, repeats: null })));
        return { point: place + 1, system: 'a', values: { req_s: mean }, n, ...(sd === null ? {} : { sd }) };
      });
      for (const side of ['min', 'max'] as const) {
        const found = findAskedPoints(tableOf(rows), { ...noFilters, bounds: [{ metric: 'req_s', side, value }] }, 10);
        for (const [place, values] of points.entries()) {
          if (values.some((one) => (side === 'min' ? one >= value : one <= value))) expect(found).toContain(place + 1);
        }
      }
    }),
  );
});

test('figures of one result may be in several rows of its point', () => {
  const table = tableOf([
    { point: 1, system: 'a', variant: 0, values: { ttft_ms_mean: 100 } },
    { point: 1, system: 'a', variant: 1, values: { itl_ms_mean: 10 } },
    { point: 2, system: 'a', values: { ttft_ms_mean: 900, itl_ms_mean: 10 } },
  ]);
  const bounds = [
    { metric: 'ttft_ms_mean' as const, side: 'max' as const, value: 200 },
    { metric: 'itl_ms_mean' as const, side: 'max' as const, value: 20 },
  ];
  expect(findAskedPoints(table, { ...noFilters, bounds }, 10)).toEqual([1]);
});

test('what no row sums up may be anything', () => {
  const bounds = [{ metric: 'req_s' as const, side: 'min' as const, value: 5 }];
  const table = tableOf([
    { point: 1, system: 'a', values: { req_s: 1 } },
    { point: 2, system: 'a', values: { req_s: 1 }, hasBeside: true },
    { point: 3, system: 'a', values: {}, status: 'not_repetitions', hasBeside: true },
  ]);
  expect(findAskedPoints(table, { ...noFilters, bounds }, 10)).toEqual([2, 3]);
  expect(findAskedPoints(table, { ...noFilters, tool: ['another'] }, 10)).toEqual([2, 3]);
});

test('more than were wanted are none', () => {
  const table = tableOf([1, 2, 3].map((point) => ({ point, system: 'a', gpu: 'h100-sxm', values: { req_s: 1 } })));
  const filters = { ...noFilters, gpu: [{ by: 'id' as const, id: 'h100-sxm' }] };
  expect(findAskedPoints(table, filters, 3)).toEqual([1, 2, 3]);
  expect(findAskedPoints(table, filters, 2)).toBeNull();
});

test('a workload is asked for by its id, or by its shape under any regime', () => {
  const table = tableOf([
    { point: 1, system: 'a', values: { req_s: 1 } },
    { point: 2, system: 'a', mode: 'burst', values: { req_s: 1 } },
    { point: 3, system: 'a', scenario: '200-60', values: { req_s: 1 } },
  ]);
  const find = (filters: Partial<Filters>) => findAskedPoints(table, { ...noFilters, ...filters }, 10);
  expect(find({ workload: ['chatbot'] })).toEqual([1, 2]);
  expect(find({ workload: ['chatbot-steady'] })).toEqual([1]);
  expect(find({ workload: ['chatbot-steady', '200-60'] })).toEqual([1, 3]);
  expect(find({ workload: ['chatbot'], regime: ['burst'] })).toEqual([2]);
  expect(find({ regime: ['offline'] })).toEqual([]);
});
