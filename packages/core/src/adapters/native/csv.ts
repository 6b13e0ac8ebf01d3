import type { Fault } from '../../errors.ts';
import { unguarded } from '../../format/csv-text.ts';
import { metricNames } from '../../metrics/index.ts';
import { nearestOrLonger } from '../../text/nearest.ts';
import type { Adapter } from '../adapter.ts';
import { ArtifactError, addFaults, maxFaults, maxHints, unreadable } from '../errors.ts';
import type { JsonValue } from '../reading/documents/json.ts';
import type { JsonDocument } from '../reading/documents/json-documents.ts';
import { isMissing, parseNumber } from '../reading/figures/numbers.ts';
import { type CsvRecord, readCsv } from '../reading/tables/csv.ts';
import { findAt } from '../reading/text/by-line.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { type Column, columnOf, columns, exportColumns, type NamedColumn } from './columns.ts';
import { readNativeDocuments } from './native.ts';

const schemaName = 'inferboard/v1';

/** The field value of a cell; undefined if the cell is empty or has the wrong type, which is an error. */
function toValue(cell: string, { name, kind }: NamedColumn, line: number, faults: Fault[]): JsonValue | undefined {
  if (isMissing(cell)) return undefined;
  if (kind === 'text') return unguarded(cell.trim());
  const value = kind === 'number' ? parseNumber(cell) : parseCell(cell);
  if (value !== null) return value;
  const wanted = kind === 'number' ? 'a number' : 'a JSON object';
  const hint = 'Leave the cell empty if nothing was measured.';
  const message = `${name} must be ${wanted}, found ${JSON.stringify(cell.trim().slice(0, 60))}.`;
  addFaults(faults, [{ code: 'value_invalid', line, message, hint }]);
  return undefined;
}

function parseCell(cell: string): JsonValue | null {
  try {
    const value: unknown = JSON.parse(cell);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? // JSON.parse gives nothing else.
        (value as { [key: string]: JsonValue })
      : null;
  } catch {
    return null;
  }
}

type Branch = Map<string | number, Branch | JsonValue>;

function put(root: Branch, path: Column['path'], value: JsonValue): void {
  let at = root;
  for (let depth = 0; depth < path.length - 1; depth++) {
    const key = path[depth] ?? '';
    const below = at.get(key);
    if (below instanceof Map) at = below;
    else {
      const next: Branch = new Map();
      at.set(key, next);
      at = next;
    }
  }
  at.set(path.at(-1) ?? '', value);
}

/** Results are the only list, and it has one entry. */
function toJson(branch: Branch): JsonValue {
  const object: { [key: string]: JsonValue } = {};
  for (const [key, below] of branch) {
    const value = below instanceof Map ? toJson(below) : below;
    if (key === 0) return [value];
    object[key] = value;
  }
  return object;
}

const knownNames = [...columns.keys(), ...exportColumns, ...metricNames];

/** The columns of a table, or the errors in its heading. */
function readHeading({ cells, line }: CsvRecord, faults: Fault[]): NamedColumn[] {
  const names = cells.map((cell) => cell.trim());
  const seen = new Set<string>();
  return names.map((name) => {
    const isRepeated = seen.has(name);
    seen.add(name);
    if (exportColumns.includes(name)) return { name, path: [], kind: 'text' };
    const column = columnOf(name);
    if (column === null) {
      const meant = faults.length < maxHints ? nearestOrLonger(name, knownNames) : null;
      const hint = meant === null ? {} : { hint: `Did you mean "${meant}"?` };
      const message = `Unknown column "${name.slice(0, 80)}".`;
      addFaults(faults, [{ code: 'field_unknown', line, message, ...hint }]);
    } else if (isRepeated)
      addFaults(faults, [{ code: 'field_repeated', line, message: `The column ${name} occurs twice.` }]);
    return { name, path: [], kind: 'text', ...column };
  });
}

function readRow(record: CsvRecord, heading: readonly NamedColumn[], faults: Fault[]): JsonDocument {
  const { cells, line, to } = record;
  const root: Branch = new Map<string | number, Branch>([
    ['results', new Map([[0, new Map([['metrics', new Map()]])]])],
  ]);
  if (cells.length !== heading.length) {
    const message = `Line ${line} has ${cells.length} cells, its header has ${heading.length}.`;
    addFaults(faults, [{ code: 'row_uneven', line, message }]);
  }
  const derived = new Set(cells[heading.findIndex(({ name }) => name === 'derived')]?.split(' '));
  for (const [index, column] of heading.entries()) {
    if (column.path.length === 0 || derived.has(column.name)) continue;
    const value = toValue(cells[index] ?? '', column, line, faults);
    if (value !== undefined) put(root, column.path, value);
  }
  return { value: toJson(root), from: line, to };
}

const isHeading = (line: string) => /^\s*"?schema"?\s*,/.test(line);

interface Table {
  from: number;
  to: number;
  /** Includes the heading, which is the first line. */
  rows: CsvRecord[];
}

/** Tables whose first row states the schema. A heading alone is not a table. One pass: each table ends where the next begins. */
const findTables = cachedPerArtifact((artifact): Table[] => {
  if (!artifact.has('inferboard/')) return [];
  const tables: Table[] = [];
  for (const line of artifact.linesWith('schema')) {
    if (line <= (tables.at(-1)?.to ?? 0)) continue;
    if (!isHeading(artifact.lineAt(line)) || !artifact.lineAt(line + 1).includes('inferboard/')) continue;
    const rows = readCsv(artifact, line, isHeading);
    tables.push({ from: line, to: rows.at(-1)?.to ?? line, rows });
  }
  return tables;
});

/**
 * The native format as a table: one result per row, columns named after parameters and metrics, `schema` first. Rows follow
 * the rules of JSON documents. Errors name the line and the column.
 */
export const nativeCsv: Adapter = {
  id: 'native-csv',
  title: 'Inferboard native CSV',
  kind: 'serving',
  recognises: `a CSV table whose first column is schema, "${schemaName}" in each row`,
  command: 'curl -o results.csv "$URL/v1/results.csv"',
  detect: (artifact) =>
    findTables(artifact).map((table) => ({ adapter: 'native-csv', from: table.from, to: table.to })),
  read: (artifact, { from }) => {
    const [first, ...rows] = findAt(findTables(artifact), from).found?.rows ?? [];
    if (first === undefined) throw unreadable(from, 'table_empty', 'The table has no header.');
    const faults: Fault[] = [];
    const heading = readHeading(first, faults);
    const documents: JsonDocument[] = [];
    for (const row of rows) {
      if (faults.length >= maxFaults) break;
      documents.push(readRow(row, heading, faults));
    }
    if (faults.length > 0) throw new ArtifactError(faults);
    return readNativeDocuments(artifact, documents);
  },
};
