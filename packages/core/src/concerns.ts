import type { Finding } from './checks/check.ts';
import { frontierCode } from './claims/frontier.ts';

/** What can be wrong with a submission, in display order. */
export const concernReasons = [
  {
    id: 'wrong_system',
    label: 'Wrong system',
    meaning: 'The model, quantization, GPU, engine or a setting is not the one that was measured.',
  },
  {
    id: 'implausible',
    label: 'Implausible figures',
    meaning: 'The figures are impossible, or impossible with the stated method of measurement.',
  },
  {
    id: 'copied',
    label: 'Copied',
    meaning: 'The measurement was copied from another person and is presented as a new one.',
  },
  { id: 'spam', label: 'Spam', meaning: 'It is an advertisement, or nothing was measured.' },
  {
    id: 'personal_data',
    label: 'Personal data or a secret',
    meaning: 'A name, the notes or the artifact contain personal data or other data that should not be public.',
  },
  { id: 'other', label: 'Something else', meaning: 'None of the above. Explain it in the text.' },
] as const;
export type ConcernReason = (typeof concernReasons)[number]['id'];

/** Maximum characters of a concern's text and of its answer. */
export const concernTextMax = 1000;

/** An admin's decisions about a concern. */
export const concernDecisions = ['upheld', 'dismissed'] as const;
export type ConcernDecision = (typeof concernDecisions)[number];

/** State of a concern. Only the affected accounts and admins see an open concern. */
export const concernStates = ['open', ...concernDecisions] as const;
export type ConcernState = (typeof concernStates)[number];

/** What happens to the submission if a concern is upheld. */
export const concernActions = [
  { id: 'none', meaning: 'The submission does not change.' },
  { id: 'quarantine', meaning: 'Its results are removed from the boards until an admin clears them.' },
  { id: 'retract', meaning: 'It is removed from the boards permanently, but stays readable with the note.' },
] as const;
export type ConcernAction = (typeof concernActions)[number]['id'];

/** The ids of a registry as a tuple for schemas. */
const idsOf = <const T extends readonly { id: string }[]>(entries: T) =>
  entries.map(({ id }) => id) as { [K in keyof T]: T[K]['id'] };

export const concernReasonIds = idsOf(concernReasons);
export const concernActionIds = idsOf(concernActions);

/** Code of the finding that explains why a result is quarantined without any check finding. */
export const upheldCode = 'concern_upheld';

/** Builds the finding that explains why an upheld concern keeps a result off the boards. */
export const upheldFinding = ({ id, note }: { id: string; note: string }): Finding => ({
  code: upheldCode,
  severity: 'warning',
  message: `A reader's concern about this submission was upheld: ${note.trim().replace(/\s+/gu, ' ')}`,
  evidence: { concern: id },
});

/**
 * True if a result is held for an upheld concern or its distance from all others, and no admin has approved it since.
 * Parsing the result again does not produce these reasons. Findings are sorted by time.
 */
export function isHeldForLater(findings: readonly Pick<Finding, 'code'>[]): boolean {
  const codes = findings.map(({ code }) => code);
  return Math.max(...[upheldCode, frontierCode].map((code) => codes.lastIndexOf(code))) > codes.lastIndexOf('reviewed');
}
