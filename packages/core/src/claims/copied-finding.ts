import type { Finding } from '../checks/check.ts';
import type { CopyReason } from './judge-copy.ts';

/** Why a result does not count: a copy, or an earlier run of the same account sent again. */
export type CountedReason = CopyReason | 'same_run';

/** The earlier result with the same figures. */
export interface FirstResult {
  id: string;
  submissionId: string;
  /** Whether another account sent it. */
  isOthers: boolean;
  reason: CountedReason;
  /** Evidence for the decision. */
  evidence?: Record<string, unknown>;
}

// The evidence is not stored with a result. If the finding is rebuilt, it omits the numbers.
const percent = (factor: unknown) =>
  factor === undefined ? 'one factor' : `${((Number(factor) - 1) * 100).toFixed(2)} %`;
const share = (agreeing: unknown, of: unknown) => (of === undefined ? 'Its' : `${agreeing} of ${of}`);

const messages: Record<CountedReason, (whose: string, evidence: Record<string, unknown>) => string> = {
  same_bytes: (whose) => `The same artifact was submitted before ${whose}.`,
  records: (whose) =>
    `The records of its requests equal those of a submission ${whose}, except for a common shift or factor.`,
  figures: (whose, { agreeing, figures }) =>
    `${share(agreeing, figures)} figures agree with a submission ${whose} more closely than two runs do.`,
  figures_scaled: (whose, { agreeing, figures, factor }) =>
    `${share(agreeing, figures)} figures equal those of a submission ${whose}, all changed by ${percent(factor)}.`,
  figures_and_sd: (whose, { factor = 1 }) =>
    `Its figures and their standard deviations equal those of a submission ${whose}${factor === 1 ? '' : `, all changed by ${percent(factor)}`}.`,
  figures_and_duration: (whose) => `Its figures and its duration equal those of a submission ${whose}.`,
  same_run: () => 'The same run was submitted before by this account, in another form.',
};

/** Builds the finding that names a result as a copy and links its original. */
export function copiedFinding({ id, submissionId, isOthers, reason, evidence = {} }: FirstResult): Finding {
  const whose = isOthers ? 'by another account' : 'by this account';
  return {
    code: 'copied_artifact',
    severity: isOthers ? 'warning' : 'info',
    message: `${messages[reason](whose, evidence)} It is counted once.`,
    evidence: { ...evidence, reason, first_result: id, first_submission: submissionId },
  };
}
