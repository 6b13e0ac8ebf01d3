import { expect, test } from 'vitest';
import { viewRankChoice } from './choice-views.ts';

const other = { id: 'output_tok_s', systems: 1 };

test.each([
  [1, 1, [other], 'The only system under these filters has it.'],
  [1, 3, [other], '1 of 3 systems under these filters has it.'],
  [2, 3, [other], '2 of 3 systems under these filters have it.'],
  [3, 3, [other], 'All 3 systems under these filters have it.'],
  [3, 3, [], 'All 3 systems under these filters have it. No other default metric has a value here.'],
])('explains the choice of a metric with %d of %d systems', (systems, inWorkload, others, reason) => {
  const choice = { id: 'req_s', because: 'most_systems' as const, systems, others };
  expect(viewRankChoice(choice, (id) => id, inWorkload).reason).toBe(reason);
});
