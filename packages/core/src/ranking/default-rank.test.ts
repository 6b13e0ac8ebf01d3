import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { MetricName } from '../metrics/index.ts';
import { chooseRank, preferredRanks, rankableMetrics, workloadWithRank } from './default-rank.ts';

/** Counts of the preferred metrics, in order. */
const countedOf = (systems: readonly (readonly MetricName[])[]) =>
  preferredRanks.map((id) => ({ id, systems: systems.filter((metrics) => metrics.includes(id)).length }));

const find = (...systems: MetricName[][]) => chooseRank(countedOf(systems), systems.length);

test('chooses the first metric that three of five systems have', () => {
  const rank = find(
    ['output_tok_s_per_gpu', 'output_tok_s'],
    ['output_tok_s_per_gpu', 'output_tok_s'],
    ['output_tok_s', 'user_tok_s'],
    ['user_tok_s'],
    ['user_tok_s', 'req_s'],
  );
  expect(rank).toEqual({
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

test('chooses the most frequent metric if none is common, and the first of equally frequent ones', () => {
  expect(find(['output_tok_s'], ['req_s'], ['req_s'], [], [])).toMatchObject({ id: 'req_s', systems: 2 });
  expect(find(['user_tok_s'], ['decode_tok_s'])).toMatchObject({ id: 'decode_tok_s', systems: 1 });
});

test('returns null without metrics', () => {
  expect([find(), find([], []), chooseRank([], 3)]).toEqual([null, null, null]);
});

test('chooses a common metric, or the most frequent one, for any systems', () => {
  const system = fc.uniqueArray(fc.constantFrom(...preferredRanks), { minLength: 1 });
  fc.assert(
    fc.property(fc.array(system, { minLength: 1, maxLength: 9 }), (systems) => {
      const rank = find(...systems);
      const countOf = (metric: string) => systems.filter((metrics) => metrics.some((one) => one === metric)).length;
      const common = preferredRanks.find((metric) => countOf(metric) * 5 >= 3 * systems.length);
      const most = Math.max(...preferredRanks.map(countOf));
      expect(rank?.id).toBe(common ?? preferredRanks.find((metric) => countOf(metric) === most));
      expect(rank?.systems).toBe(countOf(rank?.id ?? ''));
      expect(rank?.others.map(({ id }) => id)).toEqual(
        preferredRanks.filter((metric) => metric !== rank?.id && countOf(metric) > 0),
      );
    }),
  );
});

test('excludes metrics without a direction', () => {
  const names = rankableMetrics.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining([...preferredRanks, 'ttft_ms_p99', 'itl_ms_max']));
  for (const name of ['requests_ok', 'duration_s', 'ttft_ms_sd'] as const) expect(names).not.toContain(name);
});

test('finds the workload with the most systems that have the first metric that any has', () => {
  const none = new Map<string, number>();
  const counted = [
    none,
    new Map([
      ['a-steady', 2],
      ['b-steady', 3],
    ]),
    new Map([['c-offline', 9]]),
  ];
  expect(workloadWithRank(counted)).toBe('b-steady');
  expect(
    workloadWithRank([
      new Map([
        ['a-offline', 2],
        ['b-steady', 2],
      ]),
    ]),
  ).toBe('b-steady');
  expect(workloadWithRank([none, none])).toBeNull();
  expect(workloadWithRank([])).toBeNull();
});
