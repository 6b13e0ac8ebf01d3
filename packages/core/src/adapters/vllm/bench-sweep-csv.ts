import type { Fault } from '../../errors.ts';
import { type Adapter, noRemarks, type Reading } from '../adapter.ts';
import { ArtifactError, addFaults, maxFaults, maxResults, tooManyResults } from '../errors.ts';
import type { JsonValue } from '../reading/documents/json.ts';
import type { JsonObject } from '../reading/documents/json-records.ts';
import { parseNumber } from '../reading/figures/numbers.ts';
import { type CsvRecord, readCsv } from '../reading/tables/csv.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { findAt } from '../reading/text/by-line.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { vllmLikeness } from './keys.ts';
import { readServingRecords, type ServingFields } from './serve-results.ts';

const id = 'vllm-bench-sweep-csv';
const longestHeader = 8000;
const mostColumns = 300;

interface SweepTable {
  from: number;
  to: number;
  names: string[];
  rows: CsvRecord[];
}

/** Matches a separate cell, unlike a key in JSON. */
const ownCell = /(?:^|,)\s*num_prompts\s*(?:,|$)/;

/** The column names of a summary, if the line is its header. pandas leaves the index column unnamed. */
function toNames(text: string): string[] | null {
  if (text.length > longestHeader || !text.includes('num_prompts') || !ownCell.test(text)) return null;
  const names = text.split(',').map((name) => name.trim());
  if (names.length > mostColumns || names.includes('__proto__')) return null;
  return vllmLikeness(Object.fromEntries(names.map((name) => [name, null]))) === 'whole' ? names : null;
}

const findTables = cachedPerArtifact((artifact): SweepTable[] => {
  const tables: SweepTable[] = [];
  // More results than the limit are rejected, so the search can stop.
  for (const line of artifact.linesWith('num_prompts')) {
    if (tables.length > maxResults) break;
    const names = line > (tables.at(-1)?.to ?? 0) ? toNames(artifact.lineAt(line)) : null;
    if (names === null) continue;
    const rows = readCsv(artifact, line, (text) => toNames(text) !== null);
    const to = rows.at(-1)?.to ?? line;
    tables.push({ from: line, to, names, rows: rows.slice(1) });
  }
  return tables;
});

/** A cell as the JSON file would contain it. Names, dates and lists stay text. */
function toValue(name: string, cell: string): JsonValue {
  const text = cell.trim();
  if (text === '' || /^(?:nan|none)$/i.test(text)) return null;
  if (/^inf(?:inity)?$/i.test(text)) return Number.POSITIVE_INFINITY;
  if (text === 'True' || text === 'False') return text === 'True';
  if (name === 'date' || name === 'version' || name === 'vllm_version') return text;
  const number = parseNumber(text);
  // pandas writes a column of counts with decimals if one of its rows is empty.
  return number ?? text;
}

function toFields(names: readonly string[], cells: readonly string[]): JsonObject {
  const fields: JsonObject = {};
  for (const [index, name] of names.entries()) if (name !== '') fields[name] = toValue(name, cells[index] ?? '');
  return fields;
}

function readTable(artifact: ArtifactText, { from, names, rows }: SweepTable): Reading {
  if (rows.length > maxResults) throw tooManyResults(from);
  const faults: Fault[] = [];
  const named = names.filter((name) => name !== '');
  if (new Set(named).size < named.length) {
    const message = `The header on line ${from} names a column twice.`;
    throw new ArtifactError([{ code: 'table_unreadable', line: from, message }]);
  }
  const records: ServingFields[] = [];
  for (const { cells, line, to } of rows) {
    if (faults.length >= maxFaults) break;
    if (cells.length === names.length) {
      records.push({ fields: toFields(names, cells), from: line, to });
      continue;
    }
    const message = `The row on line ${line} has ${cells.length} cells, its header has ${names.length}.`;
    addFaults(faults, [{ code: 'row_unreadable', line, message }]);
  }
  if (rows.length === 0)
    faults.push({ code: 'table_empty', line: from, message: `The table on line ${from} has no rows.` });
  if (faults.length === 0) return readServingRecords(artifact, records);
  try {
    readServingRecords(artifact, records);
  } catch (error) {
    if (!(error instanceof ArtifactError)) throw error;
    addFaults(faults, error.faults);
  }
  throw new ArtifactError(faults);
}

/**
 * `summary.csv` of `vllm bench sweep serve`: a row for each run, with columns for the keys of its JSON file and the swept
 * parameters.
 *
 * Written by https://github.com/vllm-project/vllm/blob/main/vllm/benchmarks/sweep/serve.py (`pandas.DataFrame.to_csv`).
 */
export const vllmBenchSweepCsv: Adapter = {
  id,
  title: 'vllm bench sweep serve (CSV)',
  kind: 'serving',
  recognises: 'a CSV header with num_prompts, model_id or endpoint_type, and completed with duration or mean_ttft_ms',
  command: 'vllm bench sweep serve --serve-cmd "vllm serve MODEL" --bench-cmd "vllm bench serve --model MODEL"',
  detect: (artifact) => findTables(artifact).map(({ from, to }) => ({ adapter: id, from, to })),
  read: (artifact, claim) => {
    const { found } = findAt(findTables(artifact), claim.from);
    return found === null
      ? { tool: { name: 'vllm bench sweep serve', version: null }, results: [], ignored: [], ...noRemarks }
      : readTable(artifact, found);
  },
};
