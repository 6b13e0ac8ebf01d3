import type { Fault } from '../errors.ts';

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
