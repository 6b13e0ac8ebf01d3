import type { Fault } from '../../../errors.ts';
import type { ParsedResult } from '../../adapter.ts';
import { ArtifactError, addFaults, maxFaults, maxResults, tooManyResults } from '../../errors.ts';
import { noteIgnored } from '../../plain-facts.ts';
import { takeUnfinished } from '../../refusals/unfinished.ts';

/** The outcome of one record: results and unused names, or errors. */
interface Read {
  ignored: Iterable<string>;
  faults?: readonly Fault[];
}
export type ReadOne = Read & { result: ParsedResult };
export type ReadMany = Read & { results: readonly ParsedResult[] };

/**
 * Reads records one after another. Null skips a record. Next to others, a record without figures or a cut one is ignored.
 * Throws `ArtifactError` with the errors of all records, or if there are more results than the limit. `line` is the first line of the records; `given` contains earlier errors.
 */
export function readEach<R>(
  records: readonly R[],
  line: number,
  readOne: (record: R) => ReadOne | ReadMany | null,
  given: readonly Fault[] = [],
): { results: ParsedResult[]; ignored: string[] } {
  if (records.length > maxResults) throw tooManyResults(line);
  const results: ParsedResult[] = [];
  const faults: Fault[] = [...given];
  const ignored = new Set<string>();
  for (const record of records) {
    if (faults.length >= maxFaults) break;
    try {
      const read = readOne(record);
      if (read === null) continue;
      addFaults(faults, read.faults ?? []);
      for (const name of read.ignored) ignored.add(name);
      const own = 'result' in read ? [read.result] : read.results;
      if (results.length + own.length > maxResults) throw tooManyResults(line);
      for (const result of own) results.push(result);
    } catch (error) {
      if (!(error instanceof ArtifactError)) throw error;
      addFaults(faults, error.faults);
    }
  }
  if (results.length > 0) for (const name of takeUnfinished(faults)) ignored.add(name);
  if (faults.length > 0) throw new ArtifactError(faults);
  return { results, ignored: noteIgnored(ignored) };
}

interface Table<R> {
  from: number;
  rows: readonly R[];
  faults: readonly Fault[];
}

/** The errors of a table. A table without rows is an error. */
export function tableFaults({ from, rows, faults }: Table<unknown>): readonly Fault[] {
  if (rows.length > 0 || faults.length > 0) return faults;
  return [{ code: 'table_empty', line: from, message: `The table on line ${from} has no rows.` }];
}

/** Reads the rows of a table. A reader adds the errors of its row to `faults` and may then return null. */
export function readRows<R>(
  table: Table<R>,
  readRow: (row: R, faults: Fault[]) => ParsedResult | null,
): { results: ParsedResult[]; ignored: string[] } {
  const readOne = (row: R) => {
    const faults: Fault[] = [];
    const result = readRow(row, faults);
    return { results: result === null ? [] : [result], ignored: [], faults };
  };
  return readEach(table.rows, table.from, readOne, tableFaults(table));
}
