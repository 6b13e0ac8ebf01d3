import type { LlamaRow, LlamaTable } from './llama-table.ts';
import type { ArtifactText } from './reading/artifact-text.ts';
import { type CsvRecord, readCsv } from './reading/csv.ts';
import { isMissing } from './reading/numbers.ts';

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

/** Mean and spread of a quantity as the table prints them; an empty cell where neither was measured. */
function toCell(values: ReadonlyMap<string, string>, quantity: string): string {
  const [mean = '', sd = ''] = ['_mean', '_std'].map((end) => (values.get(`${quantity}${end}`) ?? '').trim());
  if (isMissing(mean)) return '';
  return isMissing(sd) ? mean : `${mean} ± ${sd}`;
}

function toRow(columns: readonly string[], { cells, line, to }: CsvRecord): LlamaRow {
  const values = new Map(columns.map((column, index) => [column, (cells[index] ?? '').trim()]));
  const test = values.get('test_name');
  if (test === undefined) return { from: line, to, cells: values };
  const shown = Object.entries(printed).map(([quantity, column]) => [column, toCell(values, quantity)] as const);
  return { from: line, to, cells: new Map([['model', values.get('model') ?? ''], ['test', test], ...shown]) };
}

function readTable(artifact: ArtifactText, from: number): LlamaTable | null {
  const [first, ...records] = readCsv(artifact, from, (text) => header.test(text));
  const columns = (first?.cells ?? []).map((cell) => cell.trim());
  if (!isBenchy(columns)) return null;
  const names = columns.includes('test_name') ? ['model', 'test', ...Object.values(printed)] : columns;
  const table: LlamaTable = { from, to: from, columns: names, rows: [], faults: [] };
  for (const record of records) {
    table.to = record.to;
    if (record.cells.length === columns.length) table.rows.push(toRow(columns, record));
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
