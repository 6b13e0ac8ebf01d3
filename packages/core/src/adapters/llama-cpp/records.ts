import type { Fault } from '../../errors.ts';
import { countNames, isObject, type JsonObject, recordFinder } from '../reading/documents/json-records.ts';
import { type CsvRecord, readCsv } from '../reading/tables/csv.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { readInsert } from './sql.ts';

/** One test as a JSON, CSV or SQL record. The fields are the same; CSV and SQL write all values as text. */
export interface LlamaRecord {
  /** 1-based, inclusive. */
  from: number;
  to: number;
  fields: JsonObject;
  /** The reason why the fields could not be separated; they are then empty. */
  fault: Fault | null;
  /** True for the last record of a truncated file. */
  isLastBeforeCut: boolean;
}

const required = ['build_commit', 'model_type', 'n_prompt', 'n_gen', 'avg_ts'];

const findJsonRecords = recordFinder((value) => {
  const found = countNames(value, required);
  return found === required.length ? 'whole' : found >= 3 ? 'likely' : null;
});

const isHeader = (cells: readonly string[]) =>
  cells.some((cell) => cell.trim() === 'build_commit') &&
  required.every((name) => cells.some((c) => c.trim() === name));

function toRecord(header: readonly string[], { cells, line, to }: CsvRecord): LlamaRecord {
  if (cells.length === header.length) {
    // A duplicate name would drop one of its values.
    const fields = new Map(header.map((name, index) => [name.trim(), cells[index] ?? '']));
    if (fields.size === header.length && !fields.has('__proto__'))
      return { from: line, to, fields: Object.fromEntries(fields), fault: null, isLastBeforeCut: false };
  }
  const message = `The row on line ${line} has ${cells.length} cells, its header has ${header.length}.`;
  return { from: line, to, fields: {}, fault: { code: 'row_unreadable', line, message }, isLastBeforeCut: false };
}

/** Rows below a header. All values are quoted, so the first row without quotes ends the table. */
function readTables(artifact: ArtifactText, from: number): { records: LlamaRecord[]; to: number } {
  const records: LlamaRecord[] = [];
  let header: readonly string[] | null = null;
  let to = from;
  for (const record of readCsv(artifact, from)) {
    to = record.to;
    if (isHeader(record.cells)) header = record.cells;
    else if (!artifact.lineAt(record.line).trimStart().startsWith('"')) header = null;
    else if (header !== null) records.push(toRecord(header, record));
  }
  return { records, to };
}

function findTextRecords(artifact: ArtifactText): LlamaRecord[] {
  const records: LlamaRecord[] = [];
  let after = 0;
  for (const line of artifact.linesWith('build_commit')) {
    const text = artifact.lineAt(line);
    if (line <= after) continue;
    const row = readInsert(text, line);
    if (row !== null) {
      const fields = Object.fromEntries(row.fields);
      records.push({ from: line, to: line, fields, fault: row.fault, isLastBeforeCut: false });
    } else if (text.length < 5000 && isHeader(text.split(','))) {
      const table = readTables(artifact, line);
      for (const record of table.records) records.push(record);
      after = table.to;
    }
  }
  return records;
}

/** Tests of an array without its end, as an interrupted run leaves it: the tool writes each test when it completes. */
function findCutRecords(artifact: ArtifactText): LlamaRecord[] {
  return artifact.json.broken.flatMap(({ cut }) => {
    const items = cut?.items ?? [];
    const records = items.filter((item) => isObject(item) && countNames(item, required) === required.length);
    if (cut === undefined || records.length < items.length) return [];
    return records.map((fields, index) => ({
      from: cut.from,
      to: cut.to,
      fields: fields as JsonObject, // only objects arrive here
      fault: null,
      isLastBeforeCut: index === records.length - 1,
    }));
  });
}

/** All records of the artifact in order of appearance, in any format. */
export const findLlamaRecords = cachedPerArtifact((artifact): LlamaRecord[] => {
  const documents = findJsonRecords(artifact).map(({ value, from, to }) => ({
    fields: value,
    from,
    to,
    fault: null,
    isLastBeforeCut: false,
  }));
  const found = [...documents, ...findCutRecords(artifact), ...findTextRecords(artifact)];
  const records = found.sort((a, b) => a.from - b.from);
  return records;
});
