import { expect, test } from 'vitest';
import { viewRankChoice, viewWorkloadChoice } from './choice-views.ts';

const other = { id: 'output_tok_s', systems: 1 };

test.each([
  [1, 1, [other], 'The only system under these filters has it.'],
  [1, 3, [other], '1 of 3 systems under these filters has it.'],
  [2, 3, [other], '2 of 3 systems under these filters have it.'],
  [3, 3, [other], 'All 3 systems under these filters have it.'],
  [0, 0, [], 'No system matches these filters.'],
  [3, 3, [], 'All 3 systems under these filters have it. No other default metric has a value here.'],
])('explains the choice of a metric with %d of %d systems', (systems, inWorkload, others, reason) => {
  const choice = { id: 'req_s', because: 'most_systems' as const, systems, others };
  expect(viewRankChoice(choice, (id) => id, { systems: inWorkload }).reason).toBe(reason);
});

test.each([
  [805, '805 systems under these filters have it.'],
  [1, '1 system under these filters has it.'],
  [0, 'No system matches these filters.'],
])('states no share of the systems in several workloads: %d systems', (systems, reason) => {
  const choice = { id: 'req_s', because: 'most_systems' as const, systems, others: [other] };
  expect(viewRankChoice(choice, (id) => id, null).reason).toBe(reason);
});

test('states the rule if another metric has more systems', () => {
  const others = [{ id: 'user_tok_s', systems: 865 }];
  const choice = { id: 'output_tok_s_per_gpu', because: 'most_systems' as const, systems: 805, others };
  expect(viewRankChoice(choice, (id) => id, null).reason).toBe(
    '805 systems under these filters have it. It is the first default metric that at least 60 % of the systems have.',
  );
});

test('counts no systems for a metric that the request names', () => {
  const choice = { id: 'req_s', because: 'asked' as const, systems: 0, others: [] };
  expect(viewRankChoice(choice, (id) => id, null)).toMatchObject({ reason: 'The request names it.', systems: null });
});

test.each([
  [33, '33 systems that match these filters have it; at most 166 match.'],
  [1, '1 system that matches these filters has it; at most 166 match.'],
])('states no share of an upper bound: %d systems', (systems, reason) => {
  const choice = { id: 'req_s', because: 'most_systems' as const, systems, others: [other] };
  expect(viewRankChoice(choice, (id) => id, { systems: 166, isAtMost: true }).reason).toBe(reason);
});

// The alternatives are counted without a filter for the workload, so they may have more systems.
test.each([
  [{}, false, 'No other workload under these filters has more systems (7 systems).'],
  [{}, true, 'Up to 7 systems may match these filters. No other has more.'],
  [{ regime: ['steady'] }, false, 'Of the workloads that the filters name, none has more systems (7 systems).'],
  [
    { regime: ['steady'] },
    true,
    'Up to 7 systems may match these filters. Of the workloads that the filters name, none has more.',
  ],
  [{ workload: ['base-steady'] }, false, 'The request names it.'],
] as const)('explains the choice of a workload with the filters %j, upper bound %s', (filters, isAtMost, reason) => {
  const choice = {
    ...{ id: 'base-steady', because: 'most_systems' as const, systems: 7, isAtMost },
    ...{ others: [{ id: 'tg128-offline', systems: 13 }], regime: 'steady' as const },
    ...{ input_tokens: null, output_tokens: null, dataset: null, depth: null },
  };
  expect(viewWorkloadChoice(choice, (id) => id, structuredClone(filters) as never)?.reason).toBe(reason);
});
