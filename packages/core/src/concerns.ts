import type { Finding } from './checks/check.ts';
import { frontierCode } from './claims/frontier.ts';

/** What can be wrong with a submission, in the order in which readers are asked. */
export const concernReasons = [
  {
    id: 'wrong_system',
    label: 'Wrong system',
    meaning: 'The model, quantization, GPU, engine or a setting is not the one that was measured.',
  },
  {
    id: 'implausible',
    label: 'Implausible figures',
    meaning: 'The figures cannot be so, or not by the way they are said to have been measured.',
  },
  {
    id: 'copied',
    label: 'Copied',
    meaning: 'Somebody else measured this, and it is passed off as another measurement.',
  },
  { id: 'spam', label: 'Spam', meaning: 'It advertises something, or nothing was measured at all.' },
  {
    id: 'personal_data',
    label: 'Personal data or a secret',
    meaning: 'A name, the notes or the artifact tell of a person, or hold what should not be public.',
  },
  { id: 'other', label: 'Something else', meaning: 'None of the above fits; the text says what it is.' },
] as const;
export type ConcernReason = (typeof concernReasons)[number]['id'];

/** Characters of a concern's text, and of the answer to it. */
export const concernTextMax = 1000;

/** How an admin may decide about a concern. */
export const concernDecisions = ['upheld', 'dismissed'] as const;
export type ConcernDecision = (typeof concernDecisions)[number];

/** Where a concern stands: nobody but those it is about and admins sees one that is open. */
export const concernStates = ['open', ...concernDecisions] as const;
export type ConcernState = (typeof concernStates)[number];

/** What becomes of the submission when a concern is upheld. */
export const concernActions = [
  { id: 'none', meaning: 'The submission stays as it is.' },
  { id: 'quarantine', meaning: 'Its results leave the boards until an admin clears them.' },
  { id: 'retract', meaning: 'It leaves the boards for good, and stays readable, marked with the note.' },
] as const;
export type ConcernAction = (typeof concernActions)[number]['id'];

/** The registry's ids as a list that schemas take. */
const idsOf = <const T extends readonly { id: string }[]>(entries: T) =>
  entries.map(({ id }) => id) as { [K in keyof T]: T[K]['id'] };

export const concernReasonIds = idsOf(concernReasons);
export const concernActionIds = idsOf(concernActions);

/** Of the finding that says why a result was quarantined though no check doubts it. */
export const upheldCode = 'concern_upheld';

/** Tells readers of a result that a concern about its submission keeps it off the boards, and why. */
export const upheldFinding = ({ id, note }: { id: string; note: string }): Finding => ({
  code: upheldCode,
  severity: 'warning',
  message: `A reader's concern about this submission was upheld: ${note.trim().replace(/\s+/gu, ' ')}`,
  evidence: { concern: id },
});

/**
 * Whether a result is held for a reason that reading it again does not give, an upheld concern or its distance from all
 * others, and no admin has let it in since. Findings are in the order of time.
 */
export function isHeldForLater(findings: readonly Pick<Finding, 'code'>[]): boolean {
  const codes = findings.map(({ code }) => code);
  return Math.max(...[upheldCode, frontierCode].map((code) => codes.lastIndexOf(code))) > codes.lastIndexOf('reviewed');
}
