import type { Fault } from '../../errors.ts';
import type { ParsedResult } from '../adapter.ts';
import { ArtifactError, addFaults, maxFaults, maxResults, tooManyResults } from '../errors.ts';
import { tellIgnored } from '../plain-facts.ts';

/** What one record gave: a result and the names not used, or what is wrong with it. */
export interface ReadOne {
  result: ParsedResult;
  ignored: Iterable<string>;
  faults?: readonly Fault[];
}

/**
 * Reads records one after another, each of which is a result. What is wrong with any of them is told at once; null passes
 * over a record. Throws `ArtifactError` for that, and for more records than results are accepted; `line` is where they begin.
 */
export function readEach<R>(
  records: readonly R[],
  line: number,
  readOne: (record: R) => ReadOne | null,
): { results: ParsedResult[]; ignored: string[] } {
  if (records.length > maxResults) throw tooManyResults(line);
  const results: ParsedResult[] = [];
  const faults: Fault[] = [];
  const ignored = new Set<string>();
  for (const record of records) {
    if (faults.length >= maxFaults) break;
    try {
      const read = readOne(record);
      if (read === null) continue;
      addFaults(faults, read.faults ?? []);
      for (const name of read.ignored) ignored.add(name);
      results.push(read.result);
    } catch (error) {
      if (!(error instanceof ArtifactError)) throw error;
      addFaults(faults, error.faults);
    }
  }
  if (faults.length > 0) throw new ArtifactError(faults);
  return { results, ignored: tellIgnored(ignored) };
}
