import type { Fault } from '../../errors.ts';
import { addFaults, maxResults } from '../errors.ts';
import type { ArtifactText } from '../reading/artifact-text.ts';
import { isHeaderRule, readRow, toCells } from '../reading/pipe-table.ts';
import { remembered } from '../reading/remembered.ts';

export interface LlamaRow {
  /** 1-based, inclusive; more than one line where the terminal wrapped the row. */
  from: number;
  to: number;
  /** Cells by column name. */
  cells: ReadonlyMap<string, string>;
}

export interface LlamaTable {
  from: number;
  to: number;
  columns: string[];
  rows: LlamaRow[];
  faults: Fault[];
}

/** Most columns, and characters of a column's name. llama-bench has some forty columns; every row repeats the names. */
const widest = { columns: 80, name: 80 };

/** A kind of table by the columns it must have. */
export interface TableKind {
  /** As told to who sends a table that was cut. */
  program: string;
  required: readonly string[];
}

/** Lines that loading a model prints between rows. */
const noise = /^(?:ggml_|llama_|load_|main:|system_info|warning:|\.+$|\s+Device \d)/;

function readHeader(
  artifact: ArtifactText,
  line: number,
  { required }: TableKind,
): { columns: string[]; to: number } | null {
  const text = artifact.lineAt(line);
  if (!text.includes('|') || !text.includes(required[0] ?? '')) return null;
  const isComplete = (cells: readonly string[]) => required.every((column) => cells.includes(column));
  const row = readRow((number) => artifact.lineAt(number), line, isComplete);
  return row === null ? null : { columns: row.cells, to: row.to };
}

function readTable(
  artifact: ArtifactText,
  from: number,
  header: { columns: string[]; to: number },
  kind: TableKind,
): LlamaTable {
  const table: LlamaTable = { from, to: header.to, columns: header.columns, rows: [], faults: [] };
  const lineAt = (number: number) => artifact.lineAt(number);
  const isTooWide =
    header.columns.length > widest.columns || header.columns.some((column) => column.length > widest.name);
  if (isTooWide) {
    const message = `The table on line ${from} has more than ${widest.columns} columns, or a column's name is too long.`;
    addFaults(table.faults, [{ code: 'table_too_wide', line: from, message }]);
  }
  for (let line = header.to + 1; line <= artifact.lines.length; line++) {
    const text = lineAt(line);
    if (!text.trimStart().startsWith('|')) {
      if (noise.test(text)) continue;
      break;
    }
    if (readHeader(artifact, line, kind) !== null) break;
    const row = readRow(lineAt, line, (cells) => cells.length === header.columns.length);
    if (row === null) {
      const cells = toCells(text)?.length;
      const found = cells === undefined ? 'is not closed' : `has ${cells} cells`;
      const message = `The row on line ${line} ${found}, its header has ${header.columns.length}.`;
      const hint = `Send the table as ${kind.program} wrote it, not as a narrow terminal cut it.`;
      addFaults(table.faults, [{ code: 'row_unreadable', line, message, hint }]);
      table.to = line;
      continue;
    }
    // One more than is read shows that there are too many; a table that is too wide is refused without its rows.
    const isWanted = table.rows.length <= maxResults && !isTooWide;
    if (isWanted && !isHeaderRule(row.cells)) {
      const cells = new Map(header.columns.map((column, index) => [column, row.cells[index] ?? '']));
      table.rows.push({ from: line, to: row.to, cells });
    }
    line = row.to;
    table.to = row.to;
  }
  return table;
}

/** Finds tables of one kind, in order of appearance, and remembers those of each artifact. */
export function tableFinder(kind: TableKind): (artifact: ArtifactText) => LlamaTable[] {
  return remembered((artifact) => {
    if (!artifact.has('|')) return [];
    const tables: LlamaTable[] = [];
    for (const line of artifact.linesWith(kind.required[0] ?? '')) {
      const header = line > (tables.at(-1)?.to ?? 0) ? readHeader(artifact, line, kind) : null;
      if (header !== null) tables.push(readTable(artifact, line, header, kind));
    }
    return tables;
  });
}

/** Every llama-bench table. */
export const findLlamaTables = tableFinder({
  program: 'llama-bench',
  required: ['model', 'size', 'params', 'backend', 'test', 't/s'],
});
