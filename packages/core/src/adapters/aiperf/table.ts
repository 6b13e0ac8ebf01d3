import type { Fault } from '../../errors.ts';
import type { ArtifactText } from '../reading/artifact-text.ts';
import { readCsv } from '../reading/csv.ts';
import type { JsonObject } from '../reading/json-records.ts';
import { isMissing, parseNumber } from '../reading/numbers.ts';
import { parseLabel, type Statistic } from './figures.ts';

/** The tables of one run in CSV. Lines are 1-based and inclusive. */
export interface PerfTable {
  from: number;
  to: number;
  statistics: Statistic[];
  /** Names of the GPUs that telemetry saw. */
  gpuNames: string[];
  ignored: string[];
  faults: Fault[];
}

export const headerStart = 'Metric,avg,min,max,';

/** Columns of the line if it begins the first table of a run. */
export function toHeader(text: string): string[] | null {
  if (text.length > 300 || !text.trimStart().startsWith(headerStart)) return null;
  return text.split(',').map((cell) => cell.trim());
}

const followers = /^(?:Metric,Value|Metric,GPU|Endpoint,|GPU[ _,])/;
const isEnd = (line: string) => !line.includes(',') || toHeader(line) !== null;

/** A cell as the JSON file would have had it; undefined where it can be no figure. */
export function toFigure(cell: string): number | null | undefined {
  return isMissing(cell) ? null : (parseNumber(cell) ?? undefined);
}

/** Values of a row by the names of their columns. Cells that are no numbers are faults. */
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
      const hint = 'A figure that the terminal cut cannot be used: send the file itself.';
      faults.push({ code: 'value_unreadable', line, message, hint });
    }
  }
  return values;
}

/** Line of the next table of the same run, behind one or two blank lines; null where there is none. */
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
      const hint = 'Numbers above 999 need quotes where they have commas.';
      table.faults.push({ code: 'row_unreadable', line, message, hint });
    } else if (isTelemetry) {
      const name = cells[nameColumn]?.trim();
      if (name !== undefined && name !== '') table.gpuNames.push(name);
      if (metricColumn >= 0) table.ignored.push(label.trim());
    } else {
      const names = isOverall ? ['avg'] : columns.slice(1);
      const values = toValues(names, cells.slice(1), label, line, table.faults);
      table.statistics.push({ ...parseLabel(label), values, line, name: label.trim() });
    }
  }
}

/** The tables of a run whose first header stands on a line: statistics, overall figures, telemetry of GPUs. */
export function readPerfTable(artifact: ArtifactText, from: number): PerfTable {
  const table: PerfTable = { from, to: from, statistics: [], gpuNames: [], ignored: [], faults: [] };
  for (let line: number | null = from; line !== null; line = findFollower(artifact, table.to))
    addRows(artifact, line, table);
  return table;
}
