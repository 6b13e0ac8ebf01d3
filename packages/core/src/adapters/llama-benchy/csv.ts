import type { LlamaRow, LlamaTable } from '../llama-cpp/table.ts';
import { isMissing } from '../reading/figures/numbers.ts';
import { type CsvRecord, readCsv } from '../reading/tables/csv.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';

/** Quantities of the CSV, each with a `_mean` and a `_std`, by the column of the printed table that shows both. */
const printed: Record<string, string> = {
  t_s: 't/s',
  t_s_req: 't/s (req)',
  peak_ts: 'peak t/s',
  peak_ts_req: 'peak t/s (req)',
  ttfr: 'ttfr (ms)',
  est_ppt: 'est_ppt (ms)',
  e2e_ttft: 'e2e_ttft (ms)',
};
const header = /^"?model"?,"?test(?:_name)?"?,/;

function isBenchy(columns: readonly string[]): boolean {
  const has = (...names: string[]) => names.every((name) => columns.includes(name));
  return has('test_name', 't_s_mean', 'ttfr_mean') || has('test', 'ttfr (ms)');
}

/** Maps the cells of a record to those of the printed table. Built once, because there may be thousands of rows. */
function rowReader(columns: readonly string[]): (record: CsvRecord) => LlamaRow {
  const cellAt = (cells: readonly string[], place: number) => (place < 0 ? '' : (cells[place] ?? '').trim());
  const test = columns.indexOf('test_name');
  if (test < 0)
    return ({ cells, line, to }) => ({
      from: line,
      to,
      cells: new Map(columns.map((column, place) => [column, cellAt(cells, place)])),
    });
  const model = columns.indexOf('model');
  const quantities = Object.entries(printed).map(([quantity, column]) => ({
    column,
    mean: columns.indexOf(`${quantity}_mean`),
    sd: columns.indexOf(`${quantity}_std`),
  }));
  return ({ cells, line, to }) => {
    const shown = new Map([
      ['model', cellAt(cells, model)],
      ['test', cellAt(cells, test)],
    ]);
    for (const { column, mean: meanPlace, sd: sdPlace } of quantities) {
      const [mean, sd] = [cellAt(cells, meanPlace), cellAt(cells, sdPlace)];
      // Mean and spread in the format of the table; an empty cell if neither was measured.
      shown.set(column, isMissing(mean) ? '' : isMissing(sd) ? mean : `${mean} ± ${sd}`);
    }
    return { from: line, to, cells: shown };
  };
}

function readTable(artifact: ArtifactText, from: number): LlamaTable | null {
  const [first, ...records] = readCsv(artifact, from, (text) => header.test(text));
  const columns = (first?.cells ?? []).map((cell) => cell.trim());
  if (!isBenchy(columns)) return null;
  const names = columns.includes('test_name') ? ['model', 'test', ...Object.values(printed)] : columns;
  const table: LlamaTable = { from, to: from, columns: names, rows: [], faults: [] };
  const toRow = rowReader(columns);
  for (const record of records) {
    table.to = record.to;
    if (record.cells.length === columns.length) table.rows.push(toRow(record));
    else {
      const message = `The row on line ${record.line} has ${record.cells.length} cells, its header has ${columns.length}.`;
      table.faults.push({ code: 'row_unreadable', line: record.line, message });
    }
  }
  return table;
}

/** Tables in CSV, in order of appearance: every quantity in two columns, or the columns of the printed table. */
export function findBenchyCsv(artifact: ArtifactText): LlamaTable[] {
  const tables: LlamaTable[] = [];
  if (!artifact.has('ttfr')) return tables;
  for (const line of artifact.linesWith(',test', ',"test')) {
    if (line <= (tables.at(-1)?.to ?? 0)) continue;
    const text = artifact.lineAt(line);
    const table = text.length < 2000 && header.test(text) ? readTable(artifact, line) : null;
    if (table !== null) tables.push(table);
  }
  return tables;
}
