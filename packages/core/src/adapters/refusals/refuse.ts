import { DomainError, type Fault } from '../../errors.ts';
import type { Adapter } from '../adapter.ts';
import { ArtifactError, maxFaults, tooManyResults } from '../errors.ts';
import { type ArtifactText, toArtifactText } from '../reading/text/artifact-text.ts';

/** Rejects the artifact with its errors in order of lines. */
export function refuse(faults: readonly Fault[], detail: string): never {
  // Errors of one line stay in the order of its fields.
  const sorted = faults.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
  const tooMany = faults.find((fault) => fault.code === 'results_too_many');
  if (tooMany !== undefined) throw new DomainError('results_too_many', tooMany.message, [tooMany]);
  throw new DomainError('artifact_unreadable', detail, sorted.slice(0, maxFaults));
}

/** The lines of an artifact. Text that cannot be decoded is rejected. */
export function toText(bytes: Uint8Array): ArtifactText {
  try {
    return toArtifactText(bytes);
  } catch (error) {
    if (error instanceof ArtifactError) refuse(error.faults, error.message);
    throw error;
  }
}

/** Rejects `unit` unless a claiming tool omits units. For other tools it would have no effect. */
export function requireTaker(claims: readonly { adapter: Adapter }[]): void {
  if (claims.some(({ adapter }) => adapter.takesUnit)) return;
  const message = `${claims[0]?.adapter.title} states what its figures count.`;
  throw new DomainError('request_invalid', message, [
    { code: 'parameter_unused', parameter: 'unit', message, hint: 'Omit unit.' },
  ]);
}

export function refuseTooMany(line: number, most: number): never {
  refuse(tooManyResults(line, undefined, most).faults, '');
}
