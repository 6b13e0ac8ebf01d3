import type { Fault } from '../errors.ts';

/** Faults told at most: a reader stops where it has found as many. */
export const maxFaults = 100;

/** Names that get a "did you mean": comparing words is slow, and who mistyped more needs the documentation. */
export const maxHints = 20;

/** Results read at most from one artifact. */
export const maxResults = 10_000;

/** An artifact that cannot be read, with everything that is wrong with it. The only thing an adapter throws. */
export class ArtifactError extends Error {
  readonly faults: Fault[];

  constructor(faults: Fault[]) {
    super(faults[0]?.message ?? 'The artifact cannot be read.');
    this.name = 'ArtifactError';
    this.faults = faults;
  }
}

/** One fault at one line (1-based) as an error. */
export function unreadable(line: number, code: string, message: string, hint?: string): ArtifactError {
  return new ArtifactError([{ code, line, message, ...(hint === undefined ? {} : { hint }) }]);
}

/** More results than are read, found before they were read. */
export function tooManyResults(line: number, pointer?: string, most: number = maxResults): ArtifactError {
  const message = `The artifact holds more than the ${most} results that are accepted at once.`;
  const place = pointer === undefined ? { line } : { line, pointer };
  return new ArtifactError([{ code: 'results_too_many', ...place, message, hint: 'Send it in parts.' }]);
}

/** Adds faults up to the limit; false once nothing fits any more. Never spread: there may be more than a call can take. */
export function addFaults(faults: Fault[], more: Iterable<Fault>): boolean {
  for (const fault of more) {
    if (faults.length >= maxFaults) return false;
    faults.push(fault);
  }
  return faults.length < maxFaults;
}
