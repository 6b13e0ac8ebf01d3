import type { Fault } from '../../errors.ts';
import { ArtifactError } from '../errors.ts';
import type { JsonValue } from '../reading/documents/json.ts';
import { isMissing, parseNumber } from '../reading/figures/numbers.ts';
import { type CsvRecord, readCsv } from '../reading/tables/csv.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import type { MlcReport, MlcSent } from './report.ts';

/** The CSV of a run: one row for each number of concurrent requests or request rate. Lines are 1-based and inclusive. */
export interface MlcTable {
  from: number;
  to: number;
  columns: string[];
  rows: CsvRecord[];
}

const required = ['num_total_requests', 'num_completed_requests', 'request_throughput', 'output_token_throughput'];
const feature = 'exec_feature';
const longest = 8000;

/** All tables in order of appearance. */
export const findMlcTables = cachedPerArtifact((artifact: ArtifactText): MlcTable[] => {
  const tables: MlcTable[] = [];
  for (const line of artifact.linesWith('num_completed_requests')) {
    const text = artifact.lineAt(line);
    if (line <= (tables.at(-1)?.to ?? 0) || text.length > longest || !text.includes('num_total_requests,')) continue;
    const [head, ...rows] = readCsv(artifact, line, (other) => other.includes('num_completed_requests'));
    const columns = (head?.cells ?? []).map((cell) => cell.trim());
    if (required.every((name) => columns.includes(name)))
      tables.push({ from: line, to: rows.at(-1)?.to ?? line, columns, rows });
  }
  return tables;
});

function toSent(cells: ReadonlyMap<string, string>): MlcSent | null {
  const cellOf = (name: string) => cells.get(`${feature}.${name}`) ?? '';
  const concurrency = parseNumber(cellOf('num_concurrent_requests'));
  if (concurrency !== null && concurrency > 0) return { kind: 'concurrency', level: concurrency };
  const rate = cellOf('request_rate') === 'inf' ? Number.POSITIVE_INFINITY : parseNumber(cellOf('request_rate'));
  if (rate !== null && rate > 0) return { kind: 'rate', level: rate };
  return isMissing(cellOf('timestamp_scale')) ? null : { kind: 'replay' };
}

/** One row of a table. Throws `ArtifactError` if it has another number of cells than the header, or text for a number. */
export function readMlcRow(table: MlcTable, row: CsvRecord): MlcReport {
  if (row.cells.length !== table.columns.length) {
    const message = `The row on line ${row.line} has ${row.cells.length} cells, its header has ${table.columns.length}.`;
    throw new ArtifactError([{ code: 'row_unreadable', line: row.line, message }]);
  }
  const values = new Map<string, number>();
  const statistics = new Map<string, Record<string, JsonValue>>();
  const ignored: string[] = [];
  const faults: Fault[] = [];
  const cells = new Map(table.columns.map((column, place) => [column, (row.cells[place] ?? '').trim()]));
  for (const [column, text] of cells) {
    if (column.startsWith('server_metrics.')) {
      ignored.push(column);
      continue;
    }
    if (column === feature || column.startsWith(`${feature}.`) || isMissing(text)) continue;
    const value = parseNumber(text);
    if (value === null || value < 0) {
      const message = `"${text.slice(0, 60)}" in column ${column} should be a number.`;
      faults.push({ code: 'cell_unreadable', line: row.line, message });
      continue;
    }
    const [name = '', ...rest] = column.split('.');
    const statistic = rest.at(-1);
    if (statistic === undefined) values.set(name, value);
    else statistics.set(name, { ...statistics.get(name), [statistic]: value });
  }
  if (faults.length > 0) throw new ArtifactError(faults);
  return {
    ...{ from: row.line, to: row.to, values, statistics, places: 3 },
    ...{ sent: toSent(cells), ignored, isTruncated: false },
  };
}
