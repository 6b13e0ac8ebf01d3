import type { Fault } from '../../errors.ts';
import { addFaults, maxResults, tooManyResults } from '../errors.ts';
import type { JsonValue } from '../reading/documents/json.ts';
import { objectOf } from '../reading/documents/json-records.ts';
import { totalOf } from '../reading/figures/report-figures.ts';
import { type CsvRecord, readCsv } from '../reading/tables/csv.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { columnsOf, findShift, readCounts, readLatencies, readRates, unusedColumns } from './csv-columns.ts';
import { Row } from './csv-row.ts';
import { textOf, toModel } from './facts.ts';
import type { Generation, GuideRun } from './run.ts';
import {
  formatStrategy,
  noWorkload,
  parseStrategy,
  type Strategy,
  toLoad,
  toStrategy,
  toWorkload,
} from './workload.ts';

/** A CSV report. Lines are 1-based and inclusive. */
export interface GuideCsv {
  from: number;
  to: number;
  generation: Generation;
  /** Column names. The three header rows of newer files are joined with bars. */
  columns: string[];
  rows: CsvRecord[];
}

const older = /^Type,Run Id,Id,Name,/;
const newer = /^(?:Run Info|Benchmark|Timings),(?:Run Info|Benchmark|Timings),/;

/** All CSV reports. Newer ones have three header rows: group, field, statistic or unit. */
export const findGuideCsvs = cachedPerArtifact((artifact): GuideCsv[] => {
  const files: GuideCsv[] = [];
  for (const line of artifact.linesWith('Type,Run Id,', 'Run Info,', 'Benchmark,', 'Timings,')) {
    const text = artifact.lineAt(line);
    const isOlder = older.test(text);
    if (line <= (files.at(-1)?.to ?? 0) || (!isOlder && !newer.test(text))) continue;
    const headers = isOlder ? 1 : 3;
    const records = readCsv(artifact, line, (next) => older.test(next) || newer.test(next));
    const head = records.slice(0, headers).map(({ cells }) => cells);
    const last = records.at(-1);
    if (head.length < headers || last === undefined) continue;
    const columns = (head[0] ?? []).map((_, index) => head.map((cells) => (cells[index] ?? '').trim()).join('|'));
    const isOurs = isOlder
      ? columns.includes('Successful Request latency mean')
      : columns.some((name) => /^Request Counts\|Successful\|/.test(name));
    if (!isOurs) continue;
    const generation = isOlder ? 'until 0.3' : 'since 0.4';
    files.push({ from: line, to: last.to, generation, columns, rows: records.slice(headers) });
  }
  return files;
});

/** The strategy of a row of a newer file, which names its kind. The profile lists the rates, one for each row of a run. */
function strategyOfProfile(row: Row): Strategy | null {
  const kind = row.text('Benchmark|Strategy|');
  if (kind === null) return null;
  const profile = row.json('Run Info|Profile|');
  const index = row.number('Run Info|Run Index|') ?? 0;
  const at = (value: JsonValue | undefined) => (Array.isArray(value) ? value[index] : undefined);
  const completed = toStrategy(at(profile.completed_strategies));
  if (completed?.kind === kind) return completed;
  const numberAt = (value: JsonValue | undefined) => (typeof value === 'number' ? value : null);
  return {
    kind,
    rate: numberAt(at(profile.rate)),
    streams: numberAt(at(profile.streams)),
    maxConcurrency: numberAt(profile.max_concurrency),
  };
}

function describe(row: Row, generation: Generation) {
  if (generation === 'until 0.3') {
    const name = row.text('Name') ?? '';
    return {
      strategy: toStrategy(objectOf(row.json('Args')).strategy) ?? parseStrategy(name),
      model: row.json('Worker').backend_model,
      data: row.json('Request Loader').data,
      seconds: row.number('Duration'),
    };
  }
  const spec = objectOf(row.json('Runtime Info|Arguments|').spec);
  const data = row.json('Runtime Info|Arguments|').data ?? spec.data ?? row.json('Run Info|Requests|').data;
  return {
    strategy: strategyOfProfile(row),
    model: row.json('Run Info|Backend|').model ?? row.json('Runtime Info|Arguments|').model,
    data,
    seconds: row.number('Timings|Duration|Sec'),
  };
}

function readRow(
  columns: readonly string[],
  record: CsvRecord,
  generation: Generation,
): GuideRun & { version: string | null } {
  const row = new Row(columns, record);
  const columnOf = columnsOf(generation);
  const { figures } = row;
  readLatencies(row, columnOf);
  readRates(row, columnOf);
  const { ok, incomplete, failed } = readCounts(row, generation);
  const [meanInput, meanOutput] = [
    row.number(columnOf('input_tokens', 'mean')),
    row.number(columnOf('output_tokens', 'mean')),
  ];
  const [input, output] = [totalOf(meanInput, ok), totalOf(meanOutput, ok)];
  if (input !== null && input > 0) figures.metrics.set('input_tokens', input);
  if (output !== null && output > 0) figures.metrics.set('output_tokens', output);
  const { strategy, model, data, seconds } = describe(row, generation);
  if (seconds !== null && seconds > 0) figures.metrics.set('duration_s', seconds);
  return {
    from: record.line,
    to: record.to,
    generation,
    figures,
    strategy: strategy === null ? null : formatStrategy(strategy),
    load:
      strategy === null
        ? null
        : toLoad(strategy, ok === null ? null : { all: ok + incomplete + failed, cutOff: incomplete }),
    model: toModel(textOf(model)),
    workload: data === undefined || data === null ? noWorkload : toWorkload(data),
    meanInput,
    meanOutput,
    isAnswered: ok === null ? figures.metrics.has('req_s') : ok > 0,
    countsCutOff: false,
    measuredAt: null,
    version: textOf(row.json('Runtime Info|Metadata|').guidellm_version),
  };
}

const hint = 'Send the JSON report: until 0.6, a header names only the columns of the first benchmark.';

/** Reads a CSV report and adds its errors. */
export function readGuideCsv({ columns, rows, generation, from }: GuideCsv, faults: Fault[]) {
  if (rows.length > maxResults) throw tooManyResults(from);
  if (rows.length === 0) {
    const message = `The table on line ${from} has no rows.`;
    addFaults(faults, [{ code: 'table_empty', line: from, message }]);
  }
  const runs: ReturnType<typeof readRow>[] = [];
  for (const record of rows) {
    if (record.cells.length !== columns.length) {
      const message = `The row on line ${record.line} has ${record.cells.length} cells, its header has ${columns.length}.`;
      if (!addFaults(faults, [{ code: 'row_unreadable', line: record.line, message, hint }])) break;
      continue;
    }
    const shift = generation === 'since 0.4' ? findShift(new Row(columns, record), columns) : null;
    if (shift !== null) {
      const message = `The row on line ${record.line} counts no ${shift.toLowerCase()} requests but has figures for them: it does not match its header.`;
      if (!addFaults(faults, [{ code: 'row_unreadable', line: record.line, message, hint }])) break;
      continue;
    }
    const run = readRow(columns, record, generation);
    if (!addFaults(faults, run.figures.faults)) break;
    runs.push(run);
  }
  for (const name of unusedColumns(columns, generation)) runs[0]?.figures.ignored.add(name);
  return { runs, version: runs[0]?.version ?? null };
}
