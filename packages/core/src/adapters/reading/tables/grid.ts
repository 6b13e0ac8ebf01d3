import type { Fault } from '../../../errors.ts';
import { maxFaults } from '../../errors.ts';
import type { ArtifactText } from '../text/artifact-text.ts';
import { readRow } from './pipe-table.ts';

/** A border line of a grid: `+-----+`, `├──┼──┤`, `╒══╤══╕`. */
export const gridRule = /^\s*(?:\+[-=+]{3,}|[├┌└╞╘╒][-─═┬┼┴╪╤╧]{3,})/;
/** A rule that ends a grid or begins the next one. */
const corner = /^\s*[╘└╒┌]/;
const maxRows = 100;

export interface GridRow {
  cells: string[];
  line: number;
  /** Last line of a row that the terminal wrapped. */
  to: number;
}

/** The lines of a grid with its bars replaced by pipes. */
export const piped = (artifact: ArtifactText) => (line: number) => artifact.lineAt(line).replaceAll('│', '|');

/** Rows of a grid from a line on. Skips the border lines between them. */
export function readGrid(artifact: ArtifactText, from: number, width: number, faults: Fault[]): GridRow[] {
  const rows: GridRow[] = [];
  const lineAt = piped(artifact);
  for (let line = from; rows.length < maxRows; line++) {
    const text = lineAt(line);
    const isRule = gridRule.test(artifact.lineAt(line));
    if (isRule && rows.length > 0 && corner.test(artifact.lineAt(line))) break;
    if (isRule) continue;
    const row = readRow(lineAt, line, (cells) => cells.length === width);
    if (row === null) {
      const isRow = text.trimStart().startsWith('|') && rows.length > 0;
      if (isRow && faults.length < maxFaults)
        faults.push({ code: 'row_uneven', line, message: `The row on line ${line} does not have ${width} cells.` });
      break;
    }
    rows.push({ cells: row.cells, line, to: row.to });
    line = row.to;
  }
  return rows;
}

/** The last line of a grid, including its closing rule. `from` is the fallback if there are no rows. */
export function gridEnd(artifact: ArtifactText, rows: readonly GridRow[], from: number): number {
  const to = rows.at(-1)?.to ?? from;
  return gridRule.test(artifact.lineAt(to + 1)) ? to + 1 : to;
}
