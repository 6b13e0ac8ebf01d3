import type { Fault } from '../../errors.ts';
import { addFaults, maxResults } from '../errors.ts';
import { isHeaderRule, readRow, toCells } from '../reading/tables/pipe-table.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';

export interface LlamaRow {
  /** 1-based, inclusive; more than one line if the terminal wrapped the row. */
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

/**
 * Maximum number of columns, and of characters in a column name. llama-bench has about forty columns; every row repeats the
 * names.
 */
const widest = { columns: 80, name: 80 };

/** A kind of table, by its required columns. */
export interface TableKind {
  /** Shown to the submitter of a truncated table. */
  program: string;
  required: readonly string[];
}

/** Lines that a program prints between rows when it loads a model. */
const noise = /^(?:~?ggml_|llama_|llm_load_|load_|main:|system_info|warning:|\.+$|\s+Device \d|=+ Repacked \d)/;
/** Such a line in a table that an editor laid out again: it fills the first cell alone. Also a row without text. */
const isNoise = ([first = '', ...others]: readonly string[]) =>
  /^(?:$|=+ Repacked \d|build: [\da-f]{7,40}\b)/.test(first) && others.every((cell) => cell === '');

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
      const hint = `Send the complete table from ${kind.program}, not one that was cut by a narrow terminal.`;
      addFaults(table.faults, [{ code: 'row_unreadable', line, message, hint }]);
      table.to = line;
      continue;
    }
    // One row above the limit shows that there are too many. A table that is too wide is rejected without its rows.
    const isWanted = table.rows.length <= maxResults && !isTooWide;
    if (isWanted && !isHeaderRule(row.cells) && !isNoise(row.cells)) {
      const cells = new Map(header.columns.map((column, index) => [column, row.cells[index] ?? '']));
      table.rows.push({ from: line, to: row.to, cells });
    }
    line = row.to;
    table.to = row.to;
  }
  return table;
}

/** Finds tables of one kind in order of appearance and caches them for each artifact. */
export function tableFinder(kind: TableKind): (artifact: ArtifactText) => LlamaTable[] {
  return cachedPerArtifact((artifact) => {
    if (!artifact.has('|')) return [];
    const tables: LlamaTable[] = [];
    for (const line of artifact.linesWith(kind.required[0] ?? '')) {
      const header = line > (tables.at(-1)?.to ?? 0) ? readHeader(artifact, line, kind) : null;
      if (header !== null) tables.push(readTable(artifact, line, header, kind));
    }
    return tables;
  });
}

/** All llama-bench tables. */
export const findLlamaTables = tableFinder({
  program: 'llama-bench',
  // People remove the backend and the settings to narrow a table.
  required: ['model', 'size', 'params', 'test', 't/s'],
});
