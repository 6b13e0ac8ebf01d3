import type { Fault } from '../errors.ts';

/** Maximum number of errors reported. A reader stops at this number. */
export const maxFaults = 100;

/**
 * Maximum number of names that get a "did you mean". Comparing names is slow, and a client with more errors needs the
 * documentation.
 */
export const maxHints = 20;

/** Maximum number of results read from one artifact. */
export const maxResults = 10_000;

/** An artifact that cannot be read, with all its errors. Adapters throw nothing else. */
export class ArtifactError extends Error {
  readonly faults: Fault[];

  constructor(faults: Fault[]) {
    super(faults[0]?.message ?? 'The artifact cannot be parsed.');
    this.name = 'ArtifactError';
    this.faults = faults;
  }
}

/** One error at one line (1-based). */
export function unreadable(line: number, code: string, message: string, hint?: string): ArtifactError {
  return new ArtifactError([{ code, line, message, ...(hint === undefined ? {} : { hint }) }]);
}

/** The artifact has more results than the limit. Thrown before reading them. */
export function tooManyResults(line: number, pointer?: string, most: number = maxResults): ArtifactError {
  const message = `The artifact has more than the maximum of ${most} results.`;
  const place = pointer === undefined ? { line } : { line, pointer };
  return new ArtifactError([{ code: 'results_too_many', ...place, message, hint: 'Send it in parts.' }]);
}

/**
 * Adds errors up to the limit; false once the limit is reached. Do not spread: the list may exceed the argument limit of a
 * call.
 */
export function addFaults(faults: Fault[], more: Iterable<Fault>): boolean {
  for (const fault of more) {
    if (faults.length >= maxFaults) return false;
    faults.push(fault);
  }
  return faults.length < maxFaults;
}
