import type { Fault } from '../errors.ts';
import type { ArtifactText } from './reading/artifact-text.ts';
import { isHeaderRule, readRow, toCells } from './reading/pipe-table.ts';

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

const required = ['model', 'size', 'params', 'backend', 'test', 't/s'];
/** Lines that loading a model prints between rows. */
const noise = /^(?:ggml_|llama_|load_|main:|system_info|warning:|\.+$|\s+Device \d)/;

function readHeader(artifact: ArtifactText, line: number): { columns: string[]; to: number } | null {
  const text = artifact.lineAt(line);
  if (!text.includes('model') || !text.includes('|')) return null;
  const isComplete = (cells: readonly string[]) => required.every((column) => cells.includes(column));
  const row = readRow((number) => artifact.lineAt(number), line, isComplete);
  return row === null ? null : { columns: row.cells, to: row.to };
}

function readTable(artifact: ArtifactText, from: number, header: { columns: string[]; to: number }): LlamaTable {
  const table: LlamaTable = { from, to: header.to, columns: header.columns, rows: [], faults: [] };
  const lineAt = (number: number) => artifact.lineAt(number);
  for (let line = header.to + 1; line <= artifact.lines.length; line++) {
    const text = lineAt(line);
    if (!text.trimStart().startsWith('|')) {
      if (noise.test(text)) continue;
      break;
    }
    if (readHeader(artifact, line) !== null) break;
    const row = readRow(lineAt, line, (cells) => cells.length === header.columns.length);
    if (row === null) {
      const cells = toCells(text)?.length;
      const found = cells === undefined ? 'is not closed' : `has ${cells} cells`;
      const message = `The row on line ${line} ${found}, its header has ${header.columns.length}.`;
      table.faults.push({
        code: 'row_unreadable',
        line,
        message,
        hint: 'Send the table as llama-bench wrote it, not as a narrow terminal cut it.',
      });
      table.to = line;
      continue;
    }
    if (!isHeaderRule(row.cells)) {
      const cells = new Map(header.columns.map((column, index) => [column, row.cells[index] ?? '']));
      table.rows.push({ from: line, to: row.to, cells });
    }
    line = row.to;
    table.to = row.to;
  }
  return table;
}

const tablesOf = new WeakMap<ArtifactText, LlamaTable[]>();

/** Every llama-bench table in order of appearance: the header must have model, size, params, backend, test and t/s. */
export function findLlamaTables(artifact: ArtifactText): LlamaTable[] {
  const known = tablesOf.get(artifact);
  if (known !== undefined) return known;
  const tables: LlamaTable[] = [];
  for (let line = 1; line <= artifact.lines.length; line++) {
    const header = readHeader(artifact, line);
    if (header === null) continue;
    const table = readTable(artifact, line, header);
    tables.push(table);
    line = table.to;
  }
  tablesOf.set(artifact, tables);
  return tables;
}
