import type { ArtifactText } from '../text/artifact-text.ts';

/** One record of a CSV table; `line` and `to` are the 1-based lines it begins and ends on. */
export interface CsvRecord {
  cells: string[];
  line: number;
  to: number;
}

/**
 * Cells of one line, and whether a quote is still open at its end. `open` continues the last cell of the previous line. RFC
 * 4180: a cell may be quoted, a quote within is doubled, and spaces around a cell are kept.
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
  // Only a line that ends right after a closing quote has a remaining cell.
  if (text.endsWith('"') && cell !== '') cells.push(cell);
  return false;
}

/** A progress bar that a program printed directly below a table in a log. */
const progressBar = /\d%\|.{0,200}\| ?\d{1,12}\/\d{1,12} ?\[/;

/**
 * Comma-separated records from a line on. They end at a blank line, at the first line of another table, at a progress bar,
 * or at the end of the file. A quoted cell may span lines; an unclosed one ends with the file. This is our own parser,
 * because records need line numbers and a table may begin anywhere in a log.
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
