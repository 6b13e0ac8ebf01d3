import type { Fault } from '../errors.ts';
import type { ArtifactText } from './reading/artifact-text.ts';
import { isMissing, parseNumber } from './reading/numbers.ts';

/** A printed table with group headers. Lines are 1-based and inclusive. */
export interface GuideTable {
  from: number;
  to: number;
  /** Headers of each column from the top, without blanks: `["TTFT (ms)", "mean"]`. */
  columns: string[][];
  rows: { cells: string[]; from: number; to: number }[];
  faults: Fault[];
}

const doubleRule = /^[|\s]*={3,}[=|\s]*$/;
const singleRule = /^[|\s]*-{3,}[-|\s]*$/;

/** Bars stand between cells; older tables have none at the edges. */
function splitCells(text: string): string[] {
  const trimmed = text.trimEnd();
  const hasEdges = trimmed.startsWith('|');
  return (hasEdges ? trimmed.slice(1, trimmed.endsWith('|') ? -1 : undefined) : trimmed).split('|');
}

/** A header row by columns: a cell of no width at all goes on with the group before it. */
function spread(cells: readonly string[]): string[] {
  const headers: string[] = [];
  for (const cell of cells) headers.push(cell === '' ? (headers.at(-1) ?? '') : cell.trim());
  return headers;
}

/** Lines joined in packs of as many as the terminal broke one into. */
function join(lines: readonly string[], size: number): string[] {
  const joined: string[] = [];
  for (let at = 0; at < lines.length; at += size) joined.push(lines.slice(at, at + size).join(''));
  return joined;
}

/** Most lines of a table; more are no table of benchmarks. */
const maxLines = 20_000;

/**
 * Reads the table whose header begins at a line or just below it. `headers` is the number of its header rows. Rows that a
 * terminal broke are as many lines longer as the header is; every row must have the cells of the header. Null where there is
 * no table.
 */
export function readGuideTable(artifact: ArtifactText, line: number, headers: 2 | 3): GuideTable | null {
  let from = line;
  while (from <= line + 3 && !artifact.lineAt(from).includes('|') && !doubleRule.test(artifact.lineAt(from))) from++;
  while (doubleRule.test(artifact.lineAt(from))) from++;
  const header: string[] = [];
  let at = from;
  while (at < from + 40 && artifact.lineAt(at).trim() !== '' && !singleRule.test(artifact.lineAt(at))) {
    if (doubleRule.test(artifact.lineAt(at))) return null;
    header.push(artifact.lineAt(at));
    at++;
  }
  if (header.length === 0 || !singleRule.test(artifact.lineAt(at)) || !header.some((text) => text.includes('|')))
    return null;
  while (singleRule.test(artifact.lineAt(at))) at++;
  const table: GuideTable = { from, to: at - 1, columns: [], rows: [], faults: [] };
  const size = header.length / headers;
  if (!Number.isInteger(size)) {
    const message = `The header on line ${from} has ${header.length} lines in place of ${headers}.`;
    table.faults.push({ code: 'table_unreadable', line: from, message, hint: 'Copy the table from a wider terminal.' });
    return table;
  }
  const parts = join(header, size).map((text) => spread(splitCells(text)));
  const width = parts.at(-1)?.length ?? 0;
  table.columns = Array.from({ length: width }, (_, index) =>
    parts.map((cells) => cells[index] ?? '').filter((cell) => cell !== ''),
  );
  if (parts.some((cells) => cells.length !== width)) {
    const message = `The header rows on line ${from} do not have the same columns.`;
    table.faults.push({ code: 'table_unreadable', line: from, message, hint: 'Copy the table from a wider terminal.' });
    return table;
  }
  for (; at <= artifact.lines.length && at < from + maxLines; at += size) {
    const text = artifact.lineAt(at);
    if (!text.includes('|') || doubleRule.test(text) || singleRule.test(text)) break;
    const cells = splitCells(Array.from({ length: size }, (_, index) => artifact.lineAt(at + index)).join('')).map(
      (cell) => cell.trim(),
    );
    table.to = at + size - 1;
    if (cells.length === width) table.rows.push({ cells, from: at, to: table.to });
    else if (table.faults.length < 100) {
      const message = `The row on line ${at} has ${cells.length} cells, its header has ${width}.`;
      table.faults.push({ code: 'row_unreadable', line: at, message, hint: 'Copy the table from a wider terminal.' });
    }
  }
  while (doubleRule.test(artifact.lineAt(table.to + 1))) table.to++;
  table.to = Math.min(table.to, artifact.lines.length);
  return table;
}

/** The column whose headers match, from the top; -1 where there is none. */
export function findColumn(table: GuideTable, ...headers: RegExp[]): number {
  return table.columns.findIndex(
    (column) => column.length === headers.length && headers.every((header, index) => header.test(column[index] ?? '')),
  );
}

/** The figure in a cell; null where it is missing. A cut cell or one below 0 is a fault. */
export function readTableFigure(
  table: GuideTable,
  row: GuideTable['rows'][number] | undefined,
  column: number,
  faults: Fault[],
): number | null {
  const text = row?.cells[column] ?? '';
  if (row === undefined || column < 0 || isMissing(text)) return null;
  const number = parseNumber(text);
  if (number !== null && number >= 0) return number + 0;
  const message = `"${text.slice(0, 40)}" under ${table.columns[column]?.join(' ') ?? ''} is no figure.`;
  faults.push({ code: 'cell_unreadable', line: row.from, message });
  return null;
}
