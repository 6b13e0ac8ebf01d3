import fc from 'fast-check';
import { expect, test } from 'vitest';
import { noFilters } from '../filters/filters.ts';
import { findMetric, type Metric, type MetricName } from '../metrics/index.ts';
import { paretoFrontier } from '../series/pareto.ts';
import { type GivenRow, tableOf } from '../testing/point-table.ts';
import { findFrontier } from './frontier.ts';

function metricOf(name: MetricName): Metric {
  const metric = findMetric(name);
  if (metric === null) throw new Error(`no metric ${name}`);
  return metric;
}

const x = metricOf('ttft_ms_mean');
const y = metricOf('output_tok_s');
const rowsOf = (places: readonly (readonly [number, number])[]) =>
  places.map(
    ([ttft_ms_mean, output_tok_s], place): GivenRow => ({
      point: place + 1,
      system: `s${place % 50}`,
      values: { ttft_ms_mean, output_tok_s },
    }),
  );
const find = (rows: readonly GivenRow[], othersMax = 1000) =>
  findFrontier(tableOf(rows), { x, y, filters: noFilters, definition: null, sent: null }, othersMax);

test('the frontier is that of all points together, however many there are', () => {
  const place = fc.tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 60 }));
  fc.assert(
    fc.property(fc.array(place, { maxLength: 60 }), fc.boolean(), (places, isMany) => {
      // Many: more than are looked at before those that others beat are dropped.
      const rows = rowsOf(isMany ? Array.from({ length: 150 }, () => places).flat() : places);
      const expected = paretoFrontier(rows, [
        { of: ({ values }) => values.ttft_ms_mean ?? 0, better: 'lower' },
        { of: ({ values }) => values.output_tok_s ?? 0, better: 'higher' },
      ]);
      const { shown, excluded } = find(rows, 10);
      const found = shown.filter(({ isOnFrontier }) => isOnFrontier).map(({ row }) => rows[row]?.point);
      expect(found.toSorted()).toEqual(expected.map(({ point }) => point).toSorted());
      expect(excluded.beyond_limit ?? 0).toBe(Math.max(0, rows.length - expected.length - 10));
      expect(shown).toHaveLength(rows.length - (excluded.beyond_limit ?? 0));
    }),
    { numRuns: 40 },
  );
});

test('a point enters once, by the formulas that are compared', () => {
  const rows: GivenRow[] = [
    { point: 1, system: 'a', values: { decode_tok_s: 5, output_tok_s: 5 }, definitions: { decode_tok_s: 'client' } },
    {
      point: 1,
      system: 'a',
      variant: 1,
      values: { decode_tok_s: 9, output_tok_s: 9 },
      definitions: { decode_tok_s: 'in_process' },
    },
    {
      point: 2,
      system: 'b',
      values: { decode_tok_s: 8, output_tok_s: 8 },
      definitions: { decode_tok_s: 'in_process' },
    },
    { point: 3, system: 'c', values: { decode_tok_s: 4, output_tok_s: 4 }, definitions: { decode_tok_s: 'client' } },
    { point: 4, system: 'd', values: { decode_tok_s: 3 }, definitions: { decode_tok_s: 'client' } },
  ];
  const question = { x: metricOf('decode_tok_s'), y, filters: noFilters, definition: null, sent: null };
  const { shown, xDefinition, yDefinition, excluded } = findFrontier(tableOf(rows), question, 10);
  expect([xDefinition?.id, yDefinition]).toEqual(['client', null]);
  expect(shown).toEqual([
    { row: 3, isOnFrontier: false },
    { row: 0, isOnFrontier: true },
  ]);
  expect(excluded).toEqual({ other_definition: 1, missing_metric: 1 });
});
