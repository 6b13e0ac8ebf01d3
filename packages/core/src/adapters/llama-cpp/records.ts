import type { Fault } from '../../errors.ts';
import type { ArtifactText } from '../reading/artifact-text.ts';
import { type CsvRecord, readCsv } from '../reading/csv.ts';
import { countNames, isObject, type JsonObject, recordFinder } from '../reading/json-records.ts';
import { remembered } from '../reading/remembered.ts';
import { readInsert } from './sql.ts';

/** One test as JSON, CSV or SQL records it: the same fields, of which CSV and SQL write every value as text. */
export interface LlamaRecord {
  /** 1-based, inclusive. */
  from: number;
  to: number;
  fields: JsonObject;
  /** Why the fields could not be told apart; they are then empty. */
  fault: Fault | null;
  /** True for the last record before the end of a file cut it short. */
  isLastBeforeCut: boolean;
}

const telling = ['build_commit', 'model_type', 'n_prompt', 'n_gen', 'avg_ts'];

const findJsonRecords = recordFinder((value) => {
  const told = countNames(value, telling);
  return told === telling.length ? 'whole' : told >= 3 ? 'likely' : null;
});

const isHeader = (cells: readonly string[]) =>
  cells.some((cell) => cell.trim() === 'build_commit') && telling.every((name) => cells.some((c) => c.trim() === name));

function toRecord(header: readonly string[], { cells, line, to }: CsvRecord): LlamaRecord {
  if (cells.length === header.length) {
    // A name that stands twice would drop one of its values.
    const fields = new Map(header.map((name, index) => [name.trim(), cells[index] ?? '']));
    if (fields.size === header.length && !fields.has('__proto__'))
      return { from: line, to, fields: Object.fromEntries(fields), fault: null, isLastBeforeCut: false };
  }
  const message = `The row on line ${line} has ${cells.length} cells, its header has ${header.length}.`;
  return { from: line, to, fields: {}, fault: { code: 'row_unreadable', line, message }, isLastBeforeCut: false };
}

/** Rows below a header. The values are quoted, all of them, so the first row that is not ends the table. */
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

/** Tests of an array whose end is missing, as an interrupted run leaves it: each test was written when it was done. */
function findCutRecords(artifact: ArtifactText): LlamaRecord[] {
  return artifact.json.broken.flatMap(({ cut }) => {
    const items = cut?.items ?? [];
    const records = items.filter((item) => isObject(item) && countNames(item, telling) === telling.length);
    if (cut === undefined || records.length < items.length) return [];
    return records.map((fields, index) => ({
      from: cut.from,
      to: cut.to,
      fields: fields as JsonObject, // only such passed
      fault: null,
      isLastBeforeCut: index === records.length - 1,
    }));
  });
}

/** Every record of the artifact in order of appearance, in whatever form. */
export const findLlamaRecords = remembered((artifact): LlamaRecord[] => {
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
