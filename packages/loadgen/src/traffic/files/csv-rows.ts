import { DatasetError } from '../../prompts/datasets/dataset-error.ts';

/** A row with the line it begins on. */
export interface CsvRow {
  cells: string[];
  line: number;
}

/**
 * Rows of CSV as RFC 4180 has it: cells in double quotes may hold commas, line ends and doubled quotes. Blank lines are
 * skipped. Throws DatasetError where a quote is not closed.
 */
export function* readCsvRows(name: string, text: string): Generator<CsvRow> {
  let [at, line] = [0, 1];
  while (at < text.length) {
    const row: CsvRow = { cells: [], line };
    let isRowOver = false;
    while (!isRowOver) {
      let cell = '';
      if (text[at] === '"') {
        at++;
        for (;;) {
          const end = text.indexOf('"', at);
          if (end < 0)
            throw new DatasetError('csv_invalid', `${name}, line ${row.line}: a quote is not closed`, {
              line: row.line,
            });
          cell += text.slice(at, end);
          at = end + 1;
          if (text[at] !== '"') break;
          cell += '"';
          at++;
        }
        line += cell.split('\n').length - 1;
      }
      const rest = /[^,\r\n]*/y;
      rest.lastIndex = at;
      const plain = rest.exec(text)?.[0] ?? '';
      cell += plain;
      at += plain.length;
      row.cells.push(cell);
      if (text[at] === ',') at++;
      else isRowOver = true;
    }
    if (text[at] === '\r') at++;
    if (text[at] === '\n') at++;
    line++;
    if (row.cells.length > 1 || row.cells[0] !== '') yield row;
  }
}
