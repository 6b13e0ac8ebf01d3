import { expect, test } from 'vitest';
import { viewRankChoice } from './choice-views.ts';

test.each([
  [1, 1, '1 of 1 system under these filters has it.'],
  [1, 3, '1 of 3 systems under these filters has it.'],
  [2, 3, '2 of 3 systems under these filters have it.'],
])('a metric of %d of %d systems', (systems, inWorkload, reason) => {
  const choice = { id: 'req_s', because: 'most_systems' as const, systems, others: [] };
  expect(viewRankChoice(choice, (id) => id, inWorkload).reason).toBe(reason);
});
