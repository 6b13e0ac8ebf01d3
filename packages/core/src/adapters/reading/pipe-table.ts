/** The cells of a row written between pipes; null if the line is no such row. */
export function toCells(line: string): string[] | null {
  const trimmed = line.trim();
  if (trimmed.length < 3 || !trimmed.startsWith('|') || !trimmed.endsWith('|')) return null;
  return trimmed
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim());
}

/** The rule under the header of a Markdown table: `| --- | ---: |`. */
export function isHeaderRule(cells: readonly string[]): boolean {
  return cells.length > 0 && cells.every((cell) => /^:?-{1,200}:?$/.test(cell));
}

/** A row of `width` cells at `line` (1-based), and the line it ends on where the terminal wrapped it. */
export interface WrappedRow {
  cells: string[];
  to: number;
}

/** Most lines one row was ever seen wrapped over, with room. */
const maxWrap = 4;

/**
 * Reads the row at a line. Where the line has no closing border or too few cells, the lines after it are joined to it as
 * long as they do not start a row of their own. Null if the cells never become `width` (or, with width null, if the row
 * is never closed).
 */
export function readRow(lineAt: (line: number) => string, line: number, width: number | null): WrappedRow | null {
  let text = lineAt(line);
  if (!text.trimStart().startsWith('|')) return null;
  for (let to = line; to < line + maxWrap; to++) {
    if (to > line) {
      const next = lineAt(to);
      if (next.trim() === '' || toCells(next) !== null) return null;
      text += next;
    }
    const cells = toCells(text);
    // A doubled border adds an empty cell at the end and shifts nothing.
    if (cells !== null && width !== null && cells.length === width + 1 && cells.at(-1) === '') cells.pop();
    if (cells !== null && (width === null || cells.length === width)) return { cells, to };
    if (cells !== null && width !== null && cells.length > width) return null;
  }
  return null;
}
