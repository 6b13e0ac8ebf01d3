import type { Fault } from '../../errors.ts';
import { checkFigures, parseLabel, type Statistic, toPerfFigures } from '../aiperf/figures.ts';
import { namedModel, noContext, type PerfContext, toPerfResult } from '../aiperf/result.ts';
import type { Run } from '../aiperf/runs.ts';
import { toFigure } from '../aiperf/table.ts';
import { ArtifactError, addFaults, maxFaults } from '../errors.ts';
import { askedLength } from '../reading/figures/measured-lengths.ts';
import { parseNumber } from '../reading/figures/numbers.ts';
import { type CsvRecord, readCsv } from '../reading/tables/csv.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';

const start = 'Config Name,';
const isEnd = (line: string) => !line.includes(',') || line.startsWith(start);

const statistics: Record<string, string> = { 'Avg.': 'avg', avg: 'avg', min: 'min', max: 'max' };

/** "p99 Request Latency (ms)", "Avg. Output Token Throughput (tokens/sec)": a statistic and its quantity. */
function parseColumn(column: string): { statistic: string; rest: string } {
  const found = /^(p\d{1,2}|Avg\.|avg|min|max) (.{1,200})$/.exec(column);
  const word = found?.[1] ?? '';
  return found === null
    ? { statistic: 'avg', rest: column }
    : { statistic: Object.hasOwn(statistics, word) ? (statistics[word] ?? word) : word, rest: found[2] ?? '' };
}

const asked = new Set(['Config Name', 'Concurrency', 'Request Rate', 'ISL', 'OSL', 'Num Prompts']);

/** The quantities of one configuration. Columns of the same quantity are its statistics. */
function toStatistics(columns: readonly string[], { cells, line }: CsvRecord, faults: Fault[]): Statistic[] {
  const found = new Map<string, Statistic>();
  for (const [index, column] of columns.entries()) {
    if (asked.has(column)) continue;
    const { statistic, rest } = parseColumn(column);
    const { tag, unit } = parseLabel(rest);
    const figure = toFigure(cells[index] ?? '');
    const each = found.get(tag) ?? { tag, unit, values: {}, line, name: rest };
    if (figure === undefined)
      faults.push({ code: 'value_unreadable', line, message: `"${column}" should be a number on line ${line}.` });
    else each.values[statistic] = figure;
    found.set(tag, each);
  }
  return [...found.values()];
}

function readRow(columns: readonly string[], record: CsvRecord) {
  const { cells, line, to } = record;
  if (cells.length !== columns.length) {
    const message = `The row on line ${line} has ${cells.length} cells, its header has ${columns.length}.`;
    throw new ArtifactError([{ code: 'row_unreadable', line, message }]);
  }
  const faults: Fault[] = [];
  const found = toPerfFigures(toStatistics(columns, record, faults), line);
  if (faults.length > 0) throw new ArtifactError(faults);
  checkFigures(found.figures);
  const cell = (column: string) => cells[columns.indexOf(column)] ?? '';
  const positive = (column: string) => {
    const number = parseNumber(cell(column));
    return number !== null && number > 0 ? number : null;
  };
  const [level, rate, prompts] = ['Concurrency', 'Request Rate', 'Num Prompts'].map(positive);
  const model = /^(.{1,200})_run_config_\d{1,6}$/.exec(cell('Config Name'))?.[1];
  const context: PerfContext = {
    ...noContext(),
    system: { ...noContext().system, ...namedModel(model === undefined ? [] : [model], 'inferred') },
    load:
      rate != null
        ? { mode: 'rate' as const, level: rate }
        : level != null
          ? { mode: 'concurrency' as const, level }
          : null,
    extra: { ...(prompts == null ? {} : { num_prompts: prompts }) },
  };
  const [input = null, output = null] = ['ISL', 'OSL'].map(positive);
  const asked = { inputTokens: askedLength(input, false), outputTokens: askedLength(output, false) };
  const result = toPerfResult(found, { ...context, asked }, { from: line, to });
  return { result, ignored: found.figures.ignored };
}

/** The end of a table of configurations. The table of their GPUs follows and repeats the names. */
function readTables(artifact: ArtifactText, from: number): { columns: string[]; rows: CsvRecord[]; to: number } {
  const [header, ...rows] = readCsv(artifact, from, isEnd);
  const columns = (header?.cells ?? []).map((cell) => cell.trim());
  let to = rows.at(-1)?.to ?? from;
  if (artifact.lineAt(to + 1).trim() === '' && artifact.lineAt(to + 2).startsWith(`${start}GPU,`))
    to = readCsv(artifact, to + 2, isEnd).at(-1)?.to ?? to;
  return { columns, rows, to };
}

/** The tables of `genai-perf analyze`. Each row is the best result of one configuration, with few statistics. */
export function analyzeRuns(artifact: ArtifactText): Run[] {
  const runs: Run[] = [];
  for (const from of artifact.linesWith(start)) {
    const text = artifact.lineAt(from);
    if (
      from <= (runs.at(-1)?.to ?? 0) ||
      !text.startsWith(start) ||
      text.startsWith(`${start}GPU,`) ||
      !/Latency \(ms\)|Throughput \(/.test(text)
    )
      continue;
    const { columns, rows, to } = readTables(artifact, from);
    const read = () => {
      const faults: Fault[] = [];
      const results = [];
      const ignored = new Set<string>();
      if (new Set(columns).size < columns.length || rows.length === 0)
        faults.push({
          code: 'table_unreadable',
          line: from,
          message: `The table on line ${from} has no rows, or a column twice.`,
        });
      for (const row of faults.length > 0 ? [] : rows) {
        if (faults.length >= maxFaults) break;
        try {
          const { result, ignored: unused } = readRow(columns, row);
          results.push(result);
          for (const name of unused) ignored.add(name);
        } catch (error) {
          if (!(error instanceof ArtifactError)) throw error;
          addFaults(faults, error.faults);
        }
      }
      if (faults.length > 0) throw new ArtifactError(faults);
      return { results, version: null, ignored };
    };
    runs.push({ from, to, read });
  }
  return runs;
}
