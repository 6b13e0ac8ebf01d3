/** The cells of a row between pipes; null if the line is not such a row. */
export function toCells(line: string): string[] | null {
  const trimmed = line.trim();
  if (trimmed.length < 3 || !trimmed.startsWith('|') || !trimmed.endsWith('|')) return null;
  const cells: string[] = [];
  for (let at = 1; at < trimmed.length; ) {
    const bar = trimmed.indexOf('|', at);
    cells.push(trimmed.slice(at, bar).trim());
    at = bar + 1;
  }
  return cells;
}

/** The rule under the header of a Markdown table: `| --- | ---: |`. */
export function isHeaderRule(cells: readonly string[]): boolean {
  return cells.length > 0 && cells.every((cell) => /^:?-{1,200}:?$/.test(cell));
}

/** A row, and its last line (1-based) if the terminal wrapped it. */
export interface WrappedRow {
  cells: string[];
  to: number;
}

/** Most lines that one row was wrapped over, with some margin. */
const maxWrap = 4;

/**
 * Reads the row at a line. While its cells are not accepted, the next lines are joined to it unless they
 * start a row. A terminal breaks rows at its width. Null if no join gives an acceptable row.
 */
export function readRow(
  lineAt: (line: number) => string,
  line: number,
  accepts: (cells: readonly string[]) => boolean,
): WrappedRow | null {
  let text = lineAt(line);
  if (!text.trimStart().startsWith('|')) return null;
  for (let to = line; to < line + maxWrap; to++) {
    if (to > line) {
      const next = lineAt(to);
      const isBorderPair = next.startsWith('|') && text.trimEnd().endsWith('|');
      if (isBorderPair || next.trim() === '') return null;
      const own = toCells(next);
      if (own !== null && accepts(own)) return null;
      text += next;
    }
    const cells = toCells(text);
    if (cells === null) continue;
    if (accepts(cells)) return { cells, to };
    // A doubled border adds an empty cell at the end and does not shift columns.
    if (cells.at(-1) === '' && accepts(cells.slice(0, -1))) return { cells: cells.slice(0, -1), to };
  }
  return null;
}
