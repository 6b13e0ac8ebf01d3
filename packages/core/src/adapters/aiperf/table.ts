import type { Fault } from '../../errors.ts';
import type { JsonObject } from '../reading/documents/json-records.ts';
import { isCutFigure, isLastLine } from '../reading/figures/cut-figure.ts';
import { isMissing, parseNumber } from '../reading/figures/numbers.ts';
import { readCsv } from '../reading/tables/csv.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { parseLabel, type Statistic } from './figures.ts';

/** The CSV tables of one run. Lines are 1-based and inclusive. */
export interface PerfTable {
  from: number;
  to: number;
  statistics: Statistic[];
  /** GPU names from telemetry. */
  gpuNames: string[];
  ignored: string[];
  faults: Fault[];
}

/** Of every figure except AIPerf's counts, which have none. */
const decimals = 2;

export const headerStart = 'Metric,avg,min,max,';

/** Columns of the line if it begins the first table of a run. */
export function toHeader(text: string): string[] | null {
  if (text.length > 300 || !text.trimStart().startsWith(headerStart)) return null;
  return text.split(',').map((cell) => cell.trim());
}

const followers = /^(?:Metric,Value|Metric,GPU|Endpoint,|GPU[ _,])/;
const isEnd = (line: string) => !line.includes(',') || toHeader(line) !== null;

/** A cell as the JSON file would contain it; undefined if it cannot be a figure. */
export function toFigure(cell: string): number | null | undefined {
  return isMissing(cell) ? null : (parseNumber(cell) ?? undefined);
}

/** Values of a row by column name. Cells that are not numbers are errors. */
export function toValues(
  names: readonly string[],
  cells: readonly string[],
  label: string,
  line: number,
  faults: Fault[],
): JsonObject {
  const values: JsonObject = {};
  for (const [index, name] of names.entries()) {
    const cell = cells[index] ?? '';
    const figure = toFigure(cell);
    if (figure !== undefined) values[name] = figure;
    else {
      const message = `"${label.slice(0, 80)}" should be a number under ${name}, found "${cell.trim().slice(0, 40)}".`;
      const hint = 'A figure that was cut by the terminal cannot be used. Send the file instead.';
      faults.push({ code: 'value_unreadable', line, message, hint });
    }
  }
  return values;
}

/** Line of the next table of the same run, after one or two blank lines; null if there is none. */
function findFollower(artifact: ArtifactText, to: number): number | null {
  let line = to + 1;
  while (line <= to + 2 && artifact.lineAt(line).trim() === '') line++;
  return line > to + 1 && followers.test(artifact.lineAt(line).trimStart()) ? line : null;
}

function addRows(artifact: ArtifactText, from: number, table: PerfTable): void {
  const [header, ...rows] = readCsv(artifact, from, isEnd);
  table.to = rows.at(-1)?.to ?? from;
  const columns = (header?.cells ?? []).map((cell) => cell.trim());
  if (new Set(columns).size < columns.length) {
    const message = `The header on line ${from} names a column twice.`;
    table.faults.push({ code: 'table_unreadable', line: from, message });
    return;
  }
  const isOverall = columns[1] === 'Value';
  const isTelemetry = !isOverall && columns[1] !== 'avg';
  const nameColumn = columns.indexOf('GPU_Name');
  const metricColumn = columns.indexOf('Metric');
  for (const { cells, line } of rows) {
    const label = cells[isTelemetry ? metricColumn : 0] ?? '';
    if (cells.length !== columns.length) {
      const message = `The row on line ${line} has ${cells.length} cells, its header has ${columns.length}.`;
      const hint = 'Put numbers that contain commas in quotes.';
      table.faults.push({ code: 'row_unreadable', line, message, hint });
    } else if (isTelemetry) {
      const name = cells[nameColumn]?.trim();
      if (name !== undefined && name !== '') table.gpuNames.push(name);
      if (metricColumn >= 0) table.ignored.push(label.trim());
    } else {
      const names = isOverall ? ['avg'] : columns.slice(1);
      const last = cells.at(-1) ?? '';
      if (last.includes('.') && isCutFigure(last, decimals) && isLastLine(artifact, line)) names.pop();
      const values = toValues(names, cells.slice(1), label, line, table.faults);
      table.statistics.push({ ...parseLabel(label), values, line, name: label.trim() });
    }
  }
}

/** The tables of a run whose first header is at a line: statistics, overall figures, GPU telemetry. */
export function readPerfTable(artifact: ArtifactText, from: number): PerfTable {
  const table: PerfTable = { from, to: from, statistics: [], gpuNames: [], ignored: [], faults: [] };
  for (let line: number | null = from; line !== null; line = findFollower(artifact, table.to))
    addRows(artifact, line, table);
  return table;
}
