import fc from 'fast-check';
import { expect, test } from 'vitest';
import { noFilters } from '../filters/filters.ts';
import type { MetricName } from '../metrics/index.ts';
import { type GivenRow, tableOf } from '../testing/point-table.ts';
import { findDefaultRank, preferredRanks } from './default-rank.ts';

const find = (rows: readonly GivenRow[], filters = noFilters) =>
  findDefaultRank(tableOf(rows), { filters, sent: null, dimensions: ['system'] });

const having = (system: string, ...metrics: MetricName[]): GivenRow => ({
  point: Number(system),
  system,
  values: Object.fromEntries(metrics.map((metric) => [metric, 1])),
});

test('ranks by the first metric that three of five systems have', () => {
  const rows = [
    having('1', 'output_tok_s_per_gpu', 'output_tok_s'),
    having('2', 'output_tok_s_per_gpu', 'output_tok_s'),
    having('3', 'output_tok_s', 'user_tok_s'),
    having('4', 'user_tok_s'),
    having('5', 'user_tok_s', 'req_s'),
  ];
  expect(find(rows).rank).toEqual({
    id: 'output_tok_s',
    systems: 3,
    because: 'most_systems',
    others: [
      { id: 'output_tok_s_per_gpu', systems: 2 },
      { id: 'user_tok_s', systems: 3 },
      { id: 'req_s', systems: 1 },
    ],
  });
});

test('ranks by what most have where nothing is common', () => {
  const rows = [having('1', 'output_tok_s'), having('2', 'req_s'), having('3', 'req_s'), having('4'), having('5')];
  expect(find(rows).rank).toMatchObject({ id: 'req_s', systems: 2 });
});

test('is of the workload with the most systems that meet the bounds, whatever else they lack', () => {
  const rows = (['chatbot', 'rag', 'rag'] as const).map(
    (scenario, place): GivenRow => ({
      point: place,
      system: String(place),
      scenario,
      values: scenario === 'rag' ? { ttft_ms_mean: 10 } : { ttft_ms_mean: 1, output_tok_s: 5 },
    }),
  );
  expect(find(rows)).toMatchObject({ workload: { id: 'rag-steady', systems: 2 }, rank: null });
  expect([...find(rows).rows]).toEqual([1, 2]);
  const bounds = [{ metric: 'ttft_ms_mean' as const, side: 'max' as const, value: 5 }];
  expect(find(rows, { ...noFilters, bounds })).toMatchObject({
    workload: { id: 'chatbot-steady', systems: 1, others: [] },
    rank: { id: 'output_tok_s' },
  });
});

test('of workloads with as many systems takes the one where more have a preferred metric', () => {
  const rows: GivenRow[] = [
    { point: 1, system: '1', scenario: 'pp512', values: { prefill_tok_s: 1 } },
    { point: 2, system: '1', scenario: 'tg128', values: { decode_tok_s: 1 } },
    { point: 3, system: '1', scenario: 'tg256', values: { decode_tok_s: 1 } },
  ];
  expect(find(rows)).toMatchObject({
    workload: { id: 'tg128-steady', others: [{ id: 'pp512-steady' }, { id: 'tg256-steady' }] },
    rank: { id: 'decode_tok_s' },
  });
});

test('nothing at all has no default', () => {
  expect(find([])).toEqual({ workload: null, rank: null, rows: new Int32Array() });
});

test('a metric is found wherever one system has it', () => {
  const system = fc.uniqueArray(fc.constantFrom(...preferredRanks), { minLength: 1 });
  fc.assert(
    fc.property(fc.array(system, { minLength: 1, maxLength: 9 }), (systems) => {
      const { rank } = find(systems.map((metrics, place) => having(String(place + 1), ...metrics)));
      const countOf = (metric: string) => systems.filter((metrics) => metrics.some((one) => one === metric)).length;
      const common = preferredRanks.find((metric) => countOf(metric) >= 0.6 * systems.length);
      const most = Math.max(...preferredRanks.map(countOf));
      expect(rank?.id).toBe(common ?? preferredRanks.find((metric) => countOf(metric) === most));
      expect(rank?.systems).toBe(countOf(rank?.id ?? ''));
    }),
  );
});
