import type { Fault } from '../../errors.ts';
import { addFaults, maxResults } from '../errors.ts';
import { type CommandLine, optionValues } from '../reading/context/command-line.ts';
import { isHeaderRule, readRow, toCells } from '../reading/tables/pipe-table.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { countBefore } from '../reading/text/by-line.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { parseParameters, parseSize, parseSpeed, parseTest } from './cells.ts';
import { findLandmarks } from './landmarks.ts';

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

const required = ['model', 'size', 'params', 'test', 't/s'];

// People remove the backend and the settings to narrow a table.
const findWholeTables = tableFinder({ program: 'llama-bench', required });

const bareLongest = 2000;

/** The cells of a row whose first or last border may be missing. */
function toBareCells(text: string): string[] {
  if (text.length > bareLongest || !text.includes('|')) return [];
  const cells = text.split('|').map((cell) => cell.trim());
  return cells.slice(cells[0] === '' ? 1 : 0, cells.at(-1) === '' ? -1 : undefined);
}

/** Whether cells are those of a row: they begin with a model and its sizes, and end with a test and its speed. */
function isBareRow(cells: readonly string[]): boolean {
  const [model = '', size = '', parameters = ''] = cells;
  const isModel = model !== '' && parseSize(size) !== null && parseParameters(parameters) !== null;
  const speed = cells.at(-1) ?? '';
  return isModel && parseTest(cells.at(-2) ?? '') !== null && speed.includes('±') && parseSpeed(speed) !== null;
}

/** Options and their columns, in the order of the columns. A column is printed if its value differs from the default. */
const optionColumns: readonly (readonly [string, ...string[]])[] = [
  ['threads', '-t', '--threads'],
  ['n_batch', '-b', '--batch-size'],
  ['n_ubatch', '-ub', '--ubatch-size'],
  ['type_k', '-ctk', '--cache-type-k'],
  ['type_v', '-ctv', '--cache-type-v'],
  ['sm', '-sm', '--split-mode'],
  ['nkvo', '-nkvo', '--no-kv-offload'],
  ['fa', '-fa', '--flash-attn'],
  // Of ik_llama.cpp.
  ['mla', '-mla'],
  ['amb', '-amb'],
  ['ts', '-ts', '--tensor-split'],
  ['ot', '-ot', '--override-tensor'],
  ['mmap', '-mmp', '--mmap'],
  ['rtr', '-rtr'],
  ['fmoe', '-fmoe'],
];

/** The columns of some settings, if the options of the command have exactly these values. */
function settingColumns(command: CommandLine | undefined, cells: readonly string[]): string[] | null {
  if (cells.length === 0) return [];
  if (command === undefined) return null;
  const given = optionColumns.flatMap(([column, ...options]) => {
    const value = optionValues(command, ...options).at(-1);
    return value === undefined ? [] : [{ column, value: value === 'on' ? '1' : value }];
  });
  const isEqual = given.length === cells.length && given.every(({ value }, index) => value === cells[index]);
  return isEqual ? given.map(({ column }) => column) : null;
}

/** The columns of a row without a header. Null for settings that the command does not name. */
function usualColumns(artifact: ArtifactText, line: number, cells: readonly string[]): string[] | null {
  const [, , , backend = '', layers = ''] = cells;
  if (cells.length < 7 || !/^-?\d{1,4}$/.test(layers)) return null;
  const { commands } = findLandmarks(artifact, 'llama-bench');
  const settings = settingColumns(commands[countBefore(commands, line) - 1], cells.slice(5, -2));
  const isOnGpu = !/^(?:cpu|blas)$/i.test(backend);
  const first = ['model', 'size', 'params', 'backend', isOnGpu ? 'ngl' : 'threads'];
  return settings === null ? null : [...first, ...settings, 'test', 't/s'];
}

/**
 * Rows outside the tables: without a header above them, without their first or last border, or below other text. They have
 * the columns of the nearest header before them if the number of columns is equal. Rows with settings that neither a header
 * nor the command names are omitted.
 */
function findBareRows(artifact: ArtifactText, tables: readonly LlamaTable[]): LlamaTable[] {
  const found: LlamaTable[] = [];
  let header: string[] | null = null;
  for (const line of artifact.linesWith('iB |', 't/s')) {
    const before = tables[countBefore(tables, line + 1) - 1];
    if (before !== undefined && line <= before.to) {
      header = before.columns;
      continue;
    }
    const cells = toBareCells(artifact.lineAt(line));
    if (required.every((column) => cells.includes(column))) header = cells;
    if (!isBareRow(cells)) continue;
    const columns = header?.length === cells.length ? header : usualColumns(artifact, line, cells);
    if (columns === null) continue;
    const row = { from: line, to: line, cells: new Map(columns.map((column, index) => [column, cells[index] ?? ''])) };
    const last = found.at(-1);
    if (last?.to === line - 1 && last.columns.join() === columns.join()) {
      last.rows.push(row);
      last.to = line;
    } else {
      found.push({ from: line, to: line, columns, rows: [row], faults: [] });
    }
  }
  return found;
}

/** All llama-bench tables, and its rows outside them. */
export const findLlamaTables = cachedPerArtifact((artifact): LlamaTable[] => {
  const tables = findWholeTables(artifact);
  return [...tables, ...findBareRows(artifact, tables)].sort((a, b) => a.from - b.from);
});
