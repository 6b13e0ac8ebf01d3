import type { ArtifactText } from './artifact-text.ts';

/** One record of a CSV table; `line` and `to` are the 1-based lines it begins and ends on. */
export interface CsvRecord {
  cells: string[];
  line: number;
  to: number;
}

/**
 * Cells of one line, and whether a quote is still open at its end. `open` continues the last cell of the line before.
 * RFC 4180: a cell may be quoted, a quote within is doubled; blanks around a cell are kept.
 */
function splitLine(text: string, cells: string[], open: boolean): boolean {
  let at = 0;
  let inQuotes = open;
  let cell = open ? `${cells.pop() ?? ''}\n` : '';
  while (at <= text.length) {
    if (inQuotes) {
      const quote = text.indexOf('"', at);
      if (quote < 0) {
        cells.push(cell + text.slice(at));
        return true;
      }
      cell += text.slice(at, quote);
      const isDoubled = text[quote + 1] === '"';
      if (isDoubled) cell += '"';
      inQuotes = isDoubled;
      at = quote + (isDoubled ? 2 : 1);
    } else if (text[at] === '"' && cell === '') {
      inQuotes = true;
      at++;
    } else {
      const comma = text.indexOf(',', at);
      const end = comma < 0 ? text.length : comma;
      cells.push(cell + text.slice(at, end));
      cell = '';
      at = end + 1;
    }
  }
  // Only a line that ends right behind a closing quote leaves a cell over.
  if (text.endsWith('"') && cell !== '') cells.push(cell);
  return false;
}

/** A bar that a program drew while it ran, and that stands right below a table in a log. */
const progressBar = /\d%\|.{0,200}\| ?\d{1,12}\/\d{1,12} ?\[/;

/**
 * Records of comma-separated values from a line on, up to a blank line, a line that begins another table, a progress bar,
 * or the end. A quoted cell may run over lines; one that is never closed ends with the file. Own code, because a record
 * must know its lines and a table may begin anywhere in a log.
 */
export function readCsv(
  artifact: ArtifactText,
  from: number,
  beginsAnother: (line: string) => boolean = () => false,
): CsvRecord[] {
  const records: CsvRecord[] = [];
  let open = false;
  for (let line = from; line <= artifact.lines.length; line++) {
    const text = artifact.lineAt(line);
    const isOver = text.trim() === '' || (line > from && (beginsAnother(text) || progressBar.test(text)));
    if (!open && isOver) break;
    const last = open ? records.at(-1) : undefined;
    const record = last ?? { cells: [], line, to: line };
    if (last === undefined) records.push(record);
    open = splitLine(text, record.cells, open);
    record.to = line;
  }
  return records;
}
