import type { Fault } from '../../errors.ts';
import { ArtifactError } from '../errors.ts';
import { isMissing, parseNumber } from '../reading/figures/numbers.ts';
import { type CsvRecord, readCsv } from '../reading/tables/csv.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';

/** One run. Lines are 1-based and inclusive. */
export interface MadRun {
  from: number;
  to: number;
  /** The cells of its settings, by the names of the newest layout. */
  cells: ReadonlyMap<string, string>;
  /** Figures by name, such as `throughput_tot` or `median_ttft`. */
  figures: ReadonlyMap<string, number>;
  /** Whether each row has one figure. The others have a column for each. */
  isLong: boolean;
}

export interface MadTable {
  from: number;
  to: number;
  columns: string[];
  rows: CsvRecord[];
}

/** Columns of older layouts by those of the newest. */
const renamed: ReadonlyMap<string, string> = new Map([
  ['mode', 'benchmark'],
  ['input_len', 'inp'],
  ['output_len', 'out'],
  ['batch_size', 'bs'],
  ['requests', 'num_prompts'],
]);
const figureColumn = /^(\w{1,40}) \((?:ms|tok\/sec)\)$/;
const longColumns = ['model', 'benchmark', 'tp', 'performance', 'metric', 'unit'];
const wideColumns = ['model', 'tp', 'input_len', 'output_len', 'dtype'];
const wideFigures = ['latency (ms)', 'throughput_tot (tok/sec)', 'total_throughput (tok/sec)'];
const words = ['performance,metric', '(tok/sec)', 'latency (ms)'];
const longestHeader = 1000;

function toColumns(text: string): string[] | null {
  if (text.length > longestHeader) return null;
  const columns = text.split(',').map((cell) => cell.trim());
  const hasAll = (names: readonly string[]) => names.every((name) => columns.includes(name));
  const isWide = hasAll(wideColumns) && wideFigures.some((name) => columns.includes(name));
  return hasAll(longColumns) || isWide ? columns : null;
}

export const findMadTables = cachedPerArtifact((artifact): MadTable[] => {
  const tables: MadTable[] = [];
  for (const line of artifact.linesWith(...words)) {
    const columns = line > (tables.at(-1)?.to ?? 0) ? toColumns(artifact.lineAt(line)) : null;
    if (columns === null) continue;
    const rows = readCsv(artifact, line, (text) => toColumns(text) !== null);
    tables.push({ from: line, to: rows.at(-1)?.to ?? line, columns, rows: rows.slice(1) });
  }
  return tables;
});

/** A figure of a row. A row without one is of a run that failed. */
function toFigure(text: string, name: string, line: number, faults: Fault[]): number | null {
  if (isMissing(text.trim())) return null;
  const number = parseNumber(text);
  if (number !== null && number >= 0) return number;
  const message = `"${text.trim().slice(0, 40)}" in column ${name} is not a number.`;
  faults.push({ code: 'cell_unreadable', line, message });
  return null;
}

/** The runs of a table. Successive rows of the long layout with the same settings and different metrics are one run. */
export function toRuns({ columns, rows, from }: MadTable): MadRun[] {
  const faults: Fault[] = [];
  const isLong = columns.includes('metric');
  const runs: (MadRun & { key: string; figures: Map<string, number> })[] = [];
  for (const { cells, line, to } of rows) {
    if (cells.length !== columns.length) {
      const message = `The row on line ${line} has ${cells.length} cells, its header has ${columns.length}.`;
      faults.push({ code: 'row_unreadable', line, message });
      continue;
    }
    const settings = new Map<string, string>();
    const found: [string, number][] = [];
    const add = (name: string, text: string, column: string) => {
      const figure = toFigure(text, column, line, faults);
      if (figure !== null) found.push([name, figure]);
    };
    for (const [index, column] of columns.entries()) {
      const text = cells[index] ?? '';
      const figure = figureColumn.exec(column)?.[1];
      if (figure !== undefined) add(figure, text, column);
      else if (!['performance', 'metric', 'unit'].includes(column))
        settings.set(renamed.get(column) ?? column, text.trim());
    }
    if (isLong)
      add((cells[columns.indexOf('metric')] ?? '').trim(), cells[columns.indexOf('performance')] ?? '', 'performance');
    const key = JSON.stringify([...settings]);
    const last = runs.at(-1);
    const [name] = found[0] ?? [];
    if (isLong && last?.key === key && !last.figures.has(name ?? '')) {
      for (const [metric, figure] of found) last.figures.set(metric, figure);
      last.to = to;
    } else runs.push({ from: line, to, cells: settings, figures: new Map(found), isLong, key });
  }
  if (rows.length === 0)
    faults.push({ code: 'table_empty', line: from, message: `The table on line ${from} has no rows.` });
  if (faults.length > 0) throw new ArtifactError(faults);
  return runs;
}
