import type { Fault } from '../errors.ts';
import type { MetricName } from '../metrics/index.ts';
import { addFaults, maxResults, tooManyResults } from './errors.ts';
import type { Generation, GuideRun } from './guidellm-run.ts';
import {
  formatStrategy,
  noWorkload,
  parseStrategy,
  type Strategy,
  toLoad,
  toStrategy,
  toWorkload,
} from './guidellm-workload.ts';
import { toPlainText } from './plain-facts.ts';
import type { ArtifactText } from './reading/artifact-text.ts';
import { type CsvRecord, readCsv } from './reading/csv.ts';
import { JsonError, type JsonValue, readJson } from './reading/json.ts';
import { isObject, type JsonObject } from './reading/json-records.ts';
import { toModelName } from './reading/model-name.ts';
import { isMissing, parseNumber, shiftDecimal } from './reading/numbers.ts';
import { noFigures, type ReportFigures, totalOf } from './reading/report-figures.ts';

/** A CSV report. Lines are 1-based and inclusive. */
export interface GuideCsv {
  from: number;
  to: number;
  generation: Generation;
  /** Names of the columns; the three header rows of newer files are joined with bars. */
  columns: string[];
  rows: CsvRecord[];
}

const older = /^Type,Run Id,Id,Name,/;
const newer = /^(?:Run Info|Benchmark|Timings),(?:Run Info|Benchmark|Timings),/;

const filesOf = new WeakMap<ArtifactText, GuideCsv[]>();

/** Every CSV report. Newer ones have three header rows: group, field, statistic or unit. */
export function findGuideCsvs(artifact: ArtifactText): GuideCsv[] {
  if (
    !(
      artifact.has('Type,Run Id,') ||
      artifact.has('Run Info,') ||
      artifact.has('Benchmark,') ||
      artifact.has('Timings,')
    )
  )
    return [];
  const before = filesOf.get(artifact);
  if (before !== undefined) return before;
  const files: GuideCsv[] = [];
  for (let line = 1; line <= artifact.lines.length; line++) {
    const text = artifact.lineAt(line);
    const isOlder = older.test(text);
    if (!isOlder && !newer.test(text)) continue;
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
    line = last.to;
  }
  filesOf.set(artifact, files);
  return files;
}

/** Cells of one row by the names of their columns. */
class Row {
  readonly #cells: ReadonlyMap<string, string>;
  readonly figures: ReportFigures;

  constructor(columns: readonly string[], { cells, line }: CsvRecord) {
    this.#cells = new Map(columns.map((name, index) => [name, cells[index] ?? '']));
    this.figures = noFigures(line);
  }

  text(name: string): string | null {
    const text = this.#cells.get(name)?.trim() ?? '';
    return text === '' ? null : text;
  }

  /** The figure of a column; null where it is missing. */
  number(name: string): number | null {
    const text = this.text(name);
    return text === null ? null : this.#toNumber(text, name);
  }

  /** The eleven figures of a column of percentiles: min, 0.1, 1, 5, 10, 25, 75, 90, 95, 99, max. */
  list(name: string): (number | null)[] {
    const text = this.text(name);
    if (text === null) return [];
    const parts = /^\[(.*)\]$/s.exec(text)?.[1]?.split(',') ?? [];
    if (parts.length === 11) return parts.map((part) => this.#toNumber(part.trim(), name));
    this.#fault(`"${text.slice(0, 60)}" under ${name} is no list of 11 figures.`);
    return [];
  }

  /** JSON that stands in a cell; null where it is none. */
  json(name: string): JsonObject {
    const text = this.text(name);
    if (text === null) return {};
    try {
      const { value } = readJson(text);
      return isObject(value) ? value : {};
    } catch (error) {
      if (error instanceof JsonError) return {};
      throw error;
    }
  }

  #toNumber(text: string, name: string): number | null {
    if (isMissing(text)) return null;
    const number = parseNumber(text);
    if (number !== null && number >= 0) return number + 0;
    this.#fault(`"${text.slice(0, 60)}" under ${name} is no figure.`);
    return null;
  }

  #fault(message: string): void {
    this.figures.faults.push({ code: 'cell_unreadable', line: this.figures.line, message });
  }
}

/** Where the columns of a metric begin, in older and in newer files. */
const groups = {
  ttft_ms: ['Successful Time to first token ms', 'Time to First Token|Successful ms'],
  tpot_ms: ['Successful Inter token latency ms', 'Inter Token Latency|Successful ms'],
  e2e_ms: ['Successful Request latency', 'Request Latency|Successful Sec'],
  req_s: ['Successful Requests per second', 'Server Throughput|Successful Requests/Sec'],
  input_tok_s: ['', 'Token Throughput|Successful Input Tokens/Sec'],
  output_tok_s: ['Successful Output tokens per second', 'Token Throughput|Successful Output Tokens/Sec'],
  total_tok_s: ['Successful Tokens per second', 'Token Throughput|Successful Total Tokens/Sec'],
  input_tokens: ['Successful Prompt token count', 'Token Metrics|Successful Input Tokens'],
  output_tokens: ['Successful Output token count', 'Token Metrics|Successful Output Tokens'],
  concurrency: ['Successful Request concurrency', 'Server Throughput|Successful Concurrency'],
  per_token: ['Successful Time per output token ms', 'Time per Output Token|Successful ms'],
} as const;

const statistics = {
  mean: [' mean', '|Mean'],
  p50: [' median', '|Median'],
  sd: [' std dev', '|Std Dev'],
  list: [' [min, 0.1, 1, 5, 10, 25, 75, 90, 95, 99, max]', '|Percentiles'],
} as const;

/** Reads the columns of one metric and generation. */
function columnsOf(generation: Generation) {
  const which = generation === 'until 0.3' ? 0 : 1;
  return (group: keyof typeof groups, statistic: keyof typeof statistics) =>
    `${groups[group][which]}${statistics[statistic][which]}`;
}

function readLatencies(row: Row, columnOf: ReturnType<typeof columnsOf>): void {
  const { metrics, extra } = row.figures;
  for (const [family, places] of [
    ['ttft_ms', 0],
    ['tpot_ms', 0],
    ['e2e_ms', 3],
  ] as const) {
    const mean = row.number(columnOf(family, 'mean'));
    if (mean === null || mean === 0) continue;
    const [min, , , , , , p75, p90, p95, p99, max] = row.list(columnOf(family, 'list'));
    const [p50, sd] = [row.number(columnOf(family, 'p50')), row.number(columnOf(family, 'sd'))];
    for (const [name, value] of Object.entries({ mean, p50, sd, min, p90, p95, p99, max })) {
      // Names of the registry: a latency and one of its statistics.
      if (value !== null && value !== undefined)
        metrics.set(`${family}_${name}` as MetricName, shiftDecimal(value, places));
    }
    if (p75 !== null && p75 !== undefined) extra[`${family}_p75`] = shiftDecimal(p75, places);
  }
}

function readRates(row: Row, columnOf: ReturnType<typeof columnsOf>): void {
  for (const name of ['req_s', 'input_tok_s', 'output_tok_s', 'total_tok_s'] as const) {
    const rate = row.number(columnOf(name, 'mean'));
    if (rate !== null && rate > 0) row.figures.metrics.set(name, rate);
  }
  const concurrency = row.number(columnOf('concurrency', 'mean'));
  if (concurrency !== null) row.figures.extra.mean_concurrency = concurrency;
  const perToken = row.number(columnOf('per_token', 'mean'));
  if (perToken !== null && perToken > 0) row.figures.extra.time_per_output_token_ms_mean = perToken;
}

function readCounts(row: Row, generation: Generation) {
  const name = (status: string) => (generation === 'until 0.3' ? `${status} Requests` : `Request Counts|${status}|`);
  const [ok, incomplete, failed] = ['Successful', 'Incomplete', 'Errored'].map((status) => row.number(name(status)));
  const { metrics, extra } = row.figures;
  if (ok !== null && ok !== undefined) metrics.set('requests_ok', ok);
  if (failed !== null && failed !== undefined) metrics.set('requests_failed', failed);
  if (incomplete !== null && incomplete !== undefined) extra.requests_incomplete = incomplete;
  return { ok: ok ?? null, incomplete: incomplete ?? 0, failed: failed ?? 0 };
}

const inside = (value: JsonValue | undefined): JsonObject => (isObject(value) ? value : {});

/** The strategy of a row of a newer file, which names its kind; rates stand in the profile, one for each row of a run. */
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
      strategy: toStrategy(inside(row.json('Args')).strategy) ?? parseStrategy(name),
      model: row.json('Worker').backend_model,
      data: row.json('Request Loader').data,
      seconds: row.number('Duration'),
    };
  }
  const spec = inside(row.json('Runtime Info|Arguments|').spec);
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
  const name = typeof model === 'string' ? toModelName(toPlainText(model)) : null;
  const version = row.json('Runtime Info|Metadata|').guidellm_version;
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
    model: name === null ? null : { value: name, origin: 'stated' },
    workload: data === undefined || data === null ? noWorkload : toWorkload(data),
    meanInput,
    meanOutput,
    isAnswered: ok === null ? figures.metrics.has('req_s') : ok > 0,
    countsCutOff: false,
    measuredAt: null,
    version: typeof version === 'string' ? toPlainText(version) : null,
  };
}

/** Reads a CSV report; faults are added. */
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
      if (!addFaults(faults, [{ code: 'row_unreadable', line: record.line, message }])) break;
      continue;
    }
    const run = readRow(columns, record, generation);
    if (!addFaults(faults, run.figures.faults)) break;
    runs.push(run);
  }
  return { runs, version: runs[0]?.version ?? null };
}
