import type { Finding } from '../checks/check.ts';
import type { CopyReason } from './judge-copy.ts';

/** Why a result counts for nothing beside another: a copy, or a run of the same account that was sent before. */
export type CountedReason = CopyReason | 'same_run';

/** The result that said the same before. */
export interface FirstResult {
  id: string;
  submissionId: string;
  /** Whether another account sent it. */
  isOthers: boolean;
  reason: CountedReason;
  /** What the judgement rests on. */
  evidence?: Record<string, unknown>;
}

// The evidence is not kept beside a result: where its finding is written again, the numbers are left out.
const percent = (factor: unknown) =>
  factor === undefined ? 'one factor' : `${((Number(factor) - 1) * 100).toFixed(2)} %`;
const share = (agreeing: unknown, of: unknown) => (of === undefined ? 'Its' : `${agreeing} of ${of}`);

const messages: Record<CountedReason, (whose: string, evidence: Record<string, unknown>) => string> = {
  same_bytes: (whose) => `The same artifact was submitted before ${whose}.`,
  records: (whose) =>
    `The records of its requests are those of a submission ${whose}, but for a common shift or factor.`,
  figures: (whose, { agreeing, figures }) =>
    `${share(agreeing, figures)} figures agree with a submission ${whose} more closely than two runs do.`,
  figures_scaled: (whose, { agreeing, figures, factor }) =>
    `${share(agreeing, figures)} figures are those of a submission ${whose}, all changed by ${percent(factor)}.`,
  figures_and_sd: (whose, { factor = 1 }) =>
    `Its figures and their standard deviations are those of a submission ${whose}${factor === 1 ? '' : `, all changed by ${percent(factor)}`}.`,
  figures_and_duration: (whose) => `Its figures and its duration are those of a submission ${whose}.`,
  same_run: () => 'The same run was submitted before by this account, in another form.',
};

/** Tells readers that a result is a copy and of what. */
export function copiedFinding({ id, submissionId, isOthers, reason, evidence = {} }: FirstResult): Finding {
  const whose = isOthers ? 'by another account' : 'by this account';
  return {
    code: 'copied_artifact',
    severity: isOthers ? 'warning' : 'info',
    message: `${messages[reason](whose, evidence)} It is counted once.`,
    evidence: { ...evidence, reason, first_result: id, first_submission: submissionId },
  };
}
