import type { Fault } from '../../errors.ts';
import { isMissing, parseNumber } from '../reading/figures/numbers.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';

/** A printed table with group headers. Lines are 1-based and inclusive. */
export interface GuideTable {
  from: number;
  to: number;
  /** Headers of each column from the top, without spaces, which line breaks add or remove: `["TTFT(ms)", "mean"]`. */
  columns: string[][];
  rows: { cells: string[]; from: number; to: number }[];
  faults: Fault[];
}

const doubleRule = /^[|\s]*=[=|\s]*$/;
const singleRule = /^[|\s]*-[-|\s]*$/;

/** A row begins with the name of a strategy. Its wrapped continuation contains only figures. */
const rowGoesOn = /^(?:[\s\d.,:|…-]|nan|inf|N\/A)+$/;

/** In an older table, a line that a terminal broke may contain only the first cell. */
const headerBegins = /\||^\s{0,80}Metadata(?:\s|$)/;

/** Bars separate cells. Older tables have no bars at the edges. */
function splitCells(text: string): string[] {
  const trimmed = text.trimEnd();
  const hasEdges = trimmed.startsWith('|');
  return (hasEdges ? trimmed.slice(1, trimmed.endsWith('|') ? -1 : undefined) : trimmed).split('|');
}

/** A header row by columns, without spaces. A cell of zero width continues the previous group. */
function spread(cells: readonly string[]): string[] {
  const headers: string[] = [];
  for (const cell of cells) headers.push(cell === '' ? (headers.at(-1) ?? '') : cell.replaceAll(/\s/g, ''));
  return headers;
}

/** Header rows, joined. Older tables name the second row; newer headers break into equally many lines each. */
function joinHeader(lines: readonly string[], rows: 2 | 3): string[] | null {
  const second = lines.findIndex((text) => /^\s*Benchmark\s*\|/.test(text));
  if (rows === 2) return second > 0 ? [lines.slice(0, second).join(''), lines.slice(second).join('')] : null;
  const size = lines.length / rows;
  if (!Number.isInteger(size)) return null;
  return [0, 1, 2].map((row) => lines.slice(row * size, (row + 1) * size).join(''));
}

/** Maximum number of lines of a broken row, and of a table. Longer tables are not benchmark tables. */
const maxBreaks = 20;
const maxLines = 20_000;

/** Adds the rows from a line on. A row with a different number of cells than the header is an error. */
function readRows(artifact: ArtifactText, first: number, table: GuideTable, width: number): void {
  let at = first;
  const isRow = (text: string) => text.includes('|') && !doubleRule.test(text) && !singleRule.test(text);
  while (at < first + maxLines && isRow(artifact.lineAt(at))) {
    const from = at;
    let text = artifact.lineAt(at);
    for (at++; at < from + maxBreaks; at++) {
      const next = artifact.lineAt(at);
      if (next.trim() === '' || !rowGoesOn.test(next) || singleRule.test(next)) break;
      text += next;
    }
    table.to = at - 1;
    const cells = splitCells(text).map((cell) => cell.trim());
    if (cells.length === width) table.rows.push({ cells, from, to: table.to });
    else if (table.faults.length < 100) {
      const message = `The row on line ${from} has ${cells.length} cells, its header has ${width}.`;
      table.faults.push({ code: 'row_unreadable', line: from, message, hint: 'Copy the table from a wider terminal.' });
    }
  }
}

/**
 * Reads the table whose header begins at a line or just below it. `headers` is the number of header rows. Lines that a
 * terminal broke are joined; each row must then have as many cells as the header. Null if there is no table.
 */
export function readGuideTable(artifact: ArtifactText, line: number, headers: 2 | 3): GuideTable | null {
  let from = line;
  while (from <= line + 3 && !headerBegins.test(artifact.lineAt(from)) && !doubleRule.test(artifact.lineAt(from)))
    from++;
  while (doubleRule.test(artifact.lineAt(from))) from++;
  if (!headerBegins.test(artifact.lineAt(from))) return null;
  const header: string[] = [];
  let at = from;
  while (at < from + 40 && artifact.lineAt(at).trim() !== '' && !singleRule.test(artifact.lineAt(at))) {
    if (doubleRule.test(artifact.lineAt(at))) return null;
    header.push(artifact.lineAt(at));
    at++;
  }
  if (!singleRule.test(artifact.lineAt(at))) return null;
  while (singleRule.test(artifact.lineAt(at))) at++;
  const table: GuideTable = { from, to: at - 1, columns: [], rows: [], faults: [] };
  const parts = joinHeader(header, headers)?.map((text) => spread(splitCells(text)));
  const width = parts?.at(-1)?.length ?? 0;
  if (parts === undefined || parts.some((cells) => cells.length !== width)) {
    const message = `The header rows on line ${from} do not have the same columns.`;
    table.faults.push({ code: 'table_unreadable', line: from, message, hint: 'Copy the table from a wider terminal.' });
    return table;
  }
  table.columns = Array.from({ length: width }, (_, index) =>
    parts.map((cells) => cells[index] ?? '').filter((cell) => cell !== ''),
  );
  readRows(artifact, at, table, width);
  while (doubleRule.test(artifact.lineAt(table.to + 1))) table.to++;
  table.to = Math.min(table.to, artifact.lines.length);
  return table;
}

/** The column whose headers match, from the top; -1 if there is none. */
export function findColumn(table: GuideTable, ...headers: RegExp[]): number {
  return table.columns.findIndex(
    (column) => column.length === headers.length && headers.every((header, index) => header.test(column[index] ?? '')),
  );
}

/** The figure in a cell; null if missing. A truncated or negative figure is an error. */
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
  const message = `"${text.slice(0, 40)}" under ${table.columns[column]?.join(' ') ?? ''} is not a number.`;
  faults.push({ code: 'cell_unreadable', line: row.from, message });
  return null;
}
