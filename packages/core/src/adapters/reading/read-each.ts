import type { Fault } from '../../errors.ts';
import type { ParsedResult } from '../adapter.ts';
import { ArtifactError, addFaults, maxFaults, maxResults, tooManyResults } from '../errors.ts';
import { tellIgnored } from '../plain-facts.ts';

/** What one record gave: results and the names not used, or what is wrong with it. */
interface Read {
  ignored: Iterable<string>;
  faults?: readonly Fault[];
}
export type ReadOne = Read & { result: ParsedResult };
export type ReadMany = Read & { results: readonly ParsedResult[] };

/**
 * Reads records one after another. All errors are reported together; null skips a record. Throws `ArtifactError` for that, and for more records than results are accepted; `line` is where they begin,
 * `given` what was found wrong before.
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
  if (faults.length > 0) throw new ArtifactError(faults);
  return { results, ignored: tellIgnored(ignored) };
}

interface Table<R> {
  from: number;
  rows: readonly R[];
  faults: readonly Fault[];
}

/** What is wrong with a table itself: it must have rows. */
export function tableFaults({ from, rows, faults }: Table<unknown>): readonly Fault[] {
  if (rows.length > 0 || faults.length > 0) return faults;
  return [{ code: 'table_empty', line: from, message: `The table on line ${from} has no rows.` }];
}

/** Reads the rows of a table. A reader adds to the faults what is wrong with its row, and may then return null. */
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
