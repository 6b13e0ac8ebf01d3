import { expect, test } from 'vitest';
import type { ResultStatus } from '../subjects/result.ts';
import { submissionStatus } from './submission-status.ts';

test.each<[ResultStatus[], ResultStatus]>([
  [['accepted', 'accepted'], 'accepted'],
  [['accepted', 'quarantined', 'simulated'], 'quarantined'],
  [['simulated', 'simulated'], 'simulated'],
  [['accepted', 'simulated'], 'accepted'],
  [[], 'accepted'],
])('the status of %j is %s', (statuses, status) => {
  expect(submissionStatus(statuses.map((one) => ({ status: one })))).toBe(status);
});
