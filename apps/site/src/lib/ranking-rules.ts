import type { CountedReason } from '@inferboard/core/claims/copied-finding';
import { frontierFactor } from '@inferboard/core/claims/frontier';
import { agreementTolerance, contradictionTolerance, evidenceRuns } from '@inferboard/core/claims/judge-claims';
import { repetitionsRatioMost } from '@inferboard/core/claims/not-repetitions';
import { draftMost } from '@inferboard/core/hardware/speculation';
import { sequenceLeast } from '@inferboard/core/records/sequence';
import { type Regime, regimes } from '@inferboard/core/workloads/regime';

/** "unspecified GPU": a reason as a page prints it. */
export const reasonText = (reason: string) =>
  reason
    .replaceAll('_', ' ')
    .replace(/\bgpu\b/, 'GPU')
    .replace(/\bsd\b/, 'deviation');

/** Numbers that the rules in words name, from where they are decided. */
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
  offline: 'One static batch, or all requests handed over at the start.',
  unspecified: 'The sender did not state the load.',
};

/** How requests reach the server. */
export const regimeRows = regimes.map((regime) => ({ regime, means: regimeWords[regime] }));

/** Whose results rank. */
export const standingRows = [
  { standing: 'vouched', becomes: 'An admin made or confirmed the account.', results: 'rank' },
  {
    standing: 'established',
    becomes:
      'The account registered itself, is at least 14 days old (the operator can set another age), has three accepted submissions with records of requests on two different days, and no upheld concern.',
    results: 'rank',
  },
  { standing: 'new', becomes: 'Every other account that registered itself.', results: 'are provisional' },
] as const;

const copyWords: Record<CountedReason, string> = {
  same_bytes: 'The artifact has the same bytes.',
  records: `The latencies of ${sequenceLeast} or more requests agree one by one, as they are or after a common factor or shift.`,
  figures:
    'At least four independent figures agree, and so do at least half of all that both state. Two or three are enough if they are all and agree to more digits.',
  figures_scaled: 'The same after one common factor between 0.9 and 1.1.',
  figures_and_sd: 'Fewer figures are equal to the last digit, and so is their standard deviation.',
  figures_and_duration: 'Fewer figures are equal to the last digit, and so is the duration.',
  same_run:
    'The same account sent the same run before in another form, such as console text and JSON. Not a copy, but counted once.',
};

/** Why a result counts for nothing beside another. */
export const copyRows = Object.entries(copyWords).map(([reason, means]) => ({ reason, means }));

/** What the limits of the hardware are taken from where a fact is missing, or was only declared. */
export const boundRows = [
  { fact: 'GPU not known', bound: 'The fastest GPU of the catalogue, as many as stated, else one.' },
  { fact: 'Model unspecified', bound: 'The smallest model of the catalogue; of a known family, its smallest.' },
  { fact: 'Format not known', bound: 'The fewest bits that any format has.' },
  {
    fact: 'Speculative decoding',
    bound: `At most ${draftMost} drafted tokens a step. They save memory reads and no arithmetic.`,
  },
  { fact: 'Power limit', bound: 'At least 15 % of the rated power of the card.' },
  { fact: 'Total throughput', bound: 'At least the output throughput, and at least the input throughput.' },
  {
    fact: 'Number of GPUs not stated',
    bound: 'One is assumed. If only that assumption breaks a bound, the upload is refused and the number is asked for.',
  },
] as const;
