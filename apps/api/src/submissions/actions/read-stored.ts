import { DomainError } from '@inferboard/core/errors';
import type { Parameters } from '@inferboard/core/submission/parameters';
import type { Reader } from '@inferboard/db/re-derive/rederive-submission';
import { amendment } from './amendment.ts';
import { readArtifactBytes } from './unpack-artifact.ts';

/** Parses a stored artifact and its parameters like a new upload. */
export const readStored: Reader = async ({ parameters, reviews }, bytes, results) => {
  try {
    // The stored parameters were validated by the schema, and JSON preserves them.
    return await readArtifactBytes(bytes, parameters as Parameters, {
      amend: amendment(results, reviews),
      mayAsk: false,
    });
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const [fault] = error.faults;
    return { unreadable: `${error.code}: ${fault?.message ?? error.message}` };
  }
};
