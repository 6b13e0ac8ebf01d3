import type { CountedReason } from '@inferboard/core/claims/copied-finding';
import { frontierFactor } from '@inferboard/core/claims/frontier';
import { agreementTolerance, contradictionTolerance, evidenceRuns } from '@inferboard/core/claims/judge-claims';
import { repetitionsRatioMost } from '@inferboard/core/claims/not-repetitions';
import { draftMost } from '@inferboard/core/hardware/speculation';
import { sequenceLeast } from '@inferboard/core/records/sequence';
import { type Regime, regimes } from '@inferboard/core/workloads/regime';

/** "unspecified GPU": a reason in words. */
export const reasonText = (reason: string) =>
  reason
    .replaceAll('_', ' ')
    .replace(/\bgpu\b/, 'GPU')
    .replace(/\bsd\b/, 'deviation');

/** Numbers of the rules in words, from the constants that apply them. */
export const ruleNumbers = {
  agreementPercent: agreementTolerance * 100,
  contradictionPercent: contradictionTolerance * 100,
  evidenceRuns,
  frontierFactor,
  repetitionsRatioMost,
} as const;

const regimeWords: Record<Regime, string> = {
  steady: 'A closed loop of N users, or an open loop at a rate.',
  burst: 'N requests at once. The queue is part of the measurement.',
  offline: 'One static batch, or all requests submitted at the start.',
  unspecified: 'The submitter did not state the load.',
};

/** How requests reach the server. */
export const regimeRows = regimes.map((regime) => ({ regime, means: regimeWords[regime] }));

/** Whose results are ranked. */
export const standingRows = [
  { standing: 'vouched', becomes: 'An admin created or confirmed the account.', results: 'rank' },
  {
    standing: 'established',
    becomes:
      'The account registered itself and is at least 14 days old (the operator can set another age). It has three accepted submissions with records of requests on two different days, and no upheld concern.',
    results: 'rank',
  },
  { standing: 'new', becomes: 'Every other account that registered itself.', results: 'are provisional' },
] as const;

const copyWords: Record<CountedReason, string> = {
  same_bytes: 'The artifact has the same bytes.',
  records: `The latencies of ${sequenceLeast} or more requests match one by one, unchanged or after a common factor or shift.`,
  figures:
    'At least four independent figures agree, and at least half of the figures that both report. Two or three figures are enough if both uploads report no others and the figures agree to more digits.',
  figures_scaled: 'The same figures agree after one common factor between 0.9 and 1.1.',
  figures_and_sd: 'Fewer figures agree, but to the last digit, and so does their standard deviation.',
  figures_and_duration: 'Fewer figures agree, but to the last digit, and so does the duration.',
  same_run:
    'The same account submitted the same run earlier in another form, such as console text and JSON. It is not a copy, but is counted once.',
};

/** Why a result does not count next to another. */
export const copyRows = Object.entries(copyWords).map(([reason, means]) => ({ reason, means }));

/** Source of the hardware limits if a fact is missing or only declared. */
export const boundRows = [
  {
    fact: 'GPU not known',
    bound: 'The fastest GPU of the catalogue, in the stated number. If no number is stated, one GPU.',
  },
  { fact: 'Model unspecified', bound: 'The smallest model of the catalogue, or of the family if the family is known.' },
  { fact: 'Format not known', bound: 'The format with the fewest bits.' },
  {
    fact: 'Speculative decoding',
    bound: `At most ${draftMost} drafted tokens per step. They save memory reads but no arithmetic.`,
  },
  { fact: 'Power limit', bound: 'At least 15 % of the rated power of the card.' },
  { fact: 'Total throughput', bound: 'At least the output throughput, and at least the input throughput.' },
  {
    fact: 'Number of GPUs not stated',
    bound:
      'One GPU is assumed. If a result exceeds a bound only because of that assumption, the upload is rejected. State the number of GPUs.',
  },
] as const;
