import { DomainError } from '@inferboard/core/errors';
import type { Parameters } from '@inferboard/core/submission/parameters';
import type { Reader } from '@inferboard/db/re-derive/rederive-submission';
import { amendment } from './amendment.ts';
import { readArtifactBytes } from './unpack-artifact.ts';

/** Reads a stored artifact with the words that came beside it as if both came today. */
export const readStored: Reader = async ({ parameters, reviews }, bytes, results) => {
  try {
    // What is stored was made by the schema of parameters, and JSON keeps it as it was.
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
