import { expect, test } from 'vitest';
import { type CountedReason, copiedFinding } from './copied-finding.ts';

const first = { id: 'res_1', submissionId: 'sub_1', isOthers: true };

test('states how many figures of a copy agree', () => {
  const evidence = { agreeing: 5, figures: 6, factor: 1.03 };
  expect(copiedFinding({ ...first, reason: 'figures_scaled', evidence })).toEqual({
    code: 'copied_artifact',
    severity: 'warning',
    message:
      '5 of 6 figures equal those of a submission by another account, all changed by 3.00 %. It is counted once.',
    evidence: { ...evidence, reason: 'figures_scaled', first_result: 'res_1', first_submission: 'sub_1' },
  });
});

const reasons = [
  'same_bytes',
  'records',
  'figures',
  'figures_scaled',
  'figures_and_sd',
  'figures_and_duration',
] as const;

test.each<CountedReason>([...reasons, 'same_run'])('states no number for %s if its evidence is unknown', (reason) => {
  const { message } = copiedFinding({ ...first, reason });
  expect(message).toMatch(/^(The|Its) [^{}]+\. It is counted once\.$/);
  expect(message).not.toMatch(/undefined|NaN|null/);
});
