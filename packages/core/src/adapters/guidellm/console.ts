import type { Fault } from '../../errors.ts';
import type { MetricName } from '../../metrics/index.ts';
import { addFaults } from '../errors.ts';
import { toPlainText } from '../plain-facts.ts';
import { toModelName } from '../reading/context/model-name.ts';
import { shiftDecimal } from '../reading/figures/numbers.ts';
import { noFigures } from '../reading/figures/report-figures.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import type { GuideRun } from './run.ts';
import { findColumn, type GuideTable, readGuideTable, readTableFigure } from './tables.ts';
import { noWorkload, parseStrategy, type Sent, toLoad, toWorkload, type Workload } from './workload.ts';

/** The output of 0.2 and 0.3 at the end of a run. Lines are 1-based and inclusive. */
export interface GuideConsole {
  from: number;
  to: number;
  metadata: number | null;
  info: GuideTable | null;
  stats: GuideTable | null;
}

const title = /^\s{0,40}Benchmarks (Metadata|Info|Stats):?\s*$/;

/** All printed reports: metadata, a table of counts, a table of figures. A paste may lack any of them. */
export const findGuideConsoles = cachedPerArtifact((artifact): GuideConsole[] => {
  if (!(artifact.has('Benchmarks Info') || artifact.has('Benchmarks Stats'))) return [];
  const reports: GuideConsole[] = [];
  for (const line of artifact.linesWith('Benchmarks ')) {
    if (line <= (reports.at(-1)?.to ?? 0)) continue;
    const kind = title.exec(artifact.lineAt(line))?.[1];
    if (kind === undefined) continue;
    const table = kind === 'Metadata' ? null : readGuideTable(artifact, line + 1, 2);
    if (kind !== 'Metadata' && table === null) continue;
    let open = reports.at(-1);
    const isNew =
      open === undefined || open.stats !== null || kind === 'Metadata' || (kind === 'Info' && open.info !== null);
    if (isNew || open === undefined) {
      open = { from: line, to: line, metadata: null, info: null, stats: null };
      reports.push(open);
    }
    if (kind === 'Metadata') open.metadata = line;
    else if (kind === 'Info') open.info = table;
    else open.stats = table;
    open.to = Math.max(line, table?.to ?? line);
  }
  const ours = reports.filter(({ info, stats }) => info !== null || stats !== null);
  return ours;
});

/** Maximum number of metadata lines. Each field wraps over a few lines. */
const maxMetadata = 60;

/** Spaces where a terminal broke a line. Names and figures contain no spaces. */
const blanks = /\s+/g;

/** Lengths may break in the middle of a figure. A file name may contain spaces. */
function readData(data: string): Workload {
  const lengths = toWorkload(data.replaceAll(blanks, ''));
  return lengths.input === null && lengths.output === null ? toWorkload(data) : lengths;
}

interface Metadata {
  model: string | null;
  workload: Workload;
  maxConcurrency: number | null;
}

function readMetadata(artifact: ArtifactText, { metadata, info, stats }: GuideConsole): Metadata {
  if (metadata === null) return { model: null, workload: noWorkload, maxConcurrency: null };
  const end = Math.min(metadata + maxMetadata, (info ?? stats)?.from ?? metadata);
  const text = artifact.lines.slice(metadata, end).join(' ').slice(0, 50_000);
  const model = /backend_model='([^']{1,300})'/.exec(text)?.[1] ?? null;
  const data = /\bdata=(?:'([^']{1,2000})'|"([^"]{1,2000})")/.exec(text);
  const cap = /max_concurrency=(\d{1,9})\b/.exec(text)?.[1];
  return {
    model: model === null ? null : toModelName(toPlainText(model.replaceAll(blanks, ''))),
    workload: data === null ? noWorkload : readData(data[1] ?? data[2] ?? ''),
    maxConcurrency: cap === undefined ? null : Number(cap),
  };
}

const statistics: [RegExp, string][] = [
  [/^mean$/, 'mean'],
  [/^median$/, 'p50'],
  [/^p99$/, 'p99'],
];

/** Request latency is in seconds, although the header has ms until 0.2.1. */
const latencies: [RegExp, string, 0 | 3][] = [
  [/^TTFT\(ms\)$/, 'ttft_ms', 0],
  [/^ITL\(ms\)$/, 'tpot_ms', 0],
  [/^ReqLatency\((?:ms|sec|s)\)$/, 'e2e_ms', 3],
];

const rates: [RegExp[], MetricName][] = [
  [[/^RequestStats$/, /^PerSecond$/], 'req_s'],
  [[/^OutTok\/sec$/, /^mean$/], 'output_tok_s'],
  [[/^TotTok\/sec$/, /^mean$/], 'total_tok_s'],
];

function readStats(run: GuideRun, table: GuideTable, index: number, faults: Fault[]): void {
  const row = table.rows[index];
  const { metrics, extra } = run.figures;
  for (const [headers, metric] of rates) {
    const rate = readTableFigure(table, row, findColumn(table, ...headers), faults);
    if (rate !== null && rate > 0) metrics.set(metric, rate);
  }
  for (const [header, family, places] of latencies) {
    const values = statistics.map(([statistic, word]) => ({
      name: `${family}_${word}` as MetricName, // families and statistics of the registry
      value: readTableFigure(table, row, findColumn(table, header, statistic), faults),
    }));
    if (values.every(({ value }) => value === null || value === 0)) continue;
    for (const { name, value } of values) if (value !== null) metrics.set(name, shiftDecimal(value, places));
  }
  const concurrency = readTableFigure(table, row, findColumn(table, /^RequestStats$/, /^Concurrency$/), faults);
  if (concurrency !== null) extra.mean_concurrency = concurrency;
  const perToken = readTableFigure(table, row, findColumn(table, /^TPOT\(ms\)$/, /^mean$/), faults);
  if (perToken !== null && perToken > 0) extra.time_per_output_token_ms_mean = perToken;
}

function readInfo(run: GuideRun, table: GuideTable, index: number, faults: Fault[]): Sent | null {
  const row = table.rows[index];
  const { metrics, extra } = run.figures;
  const of = (group: RegExp, name: RegExp) => readTableFigure(table, row, findColumn(table, group, name), faults);
  const made = /^RequestsMade$/;
  const [ok, incomplete, failed] = [of(made, /^Comp$/), of(made, /^Inc$/), of(made, /^Err$/)];
  if (ok !== null) metrics.set('requests_ok', ok);
  if (failed !== null) metrics.set('requests_failed', failed);
  if (incomplete !== null) extra.requests_incomplete = incomplete;
  const seconds = of(/^Metadata$/, /^Duration\(s\)$/);
  if (seconds !== null && seconds > 0) metrics.set('duration_s', seconds);
  const [input, output] = [of(/^PromptTokTotal$/, /^Comp$/), of(/^OutputTokTotal$/, /^Comp$/)];
  if (input !== null) metrics.set('input_tokens', input);
  if (output !== null) metrics.set('output_tokens', output);
  run.meanInput = of(/^PromptTok\/Req$/, /^Comp$/);
  run.meanOutput = of(/^OutputTok\/Req$/, /^Comp$/);
  if (ok !== null) run.isAnswered = ok > 0;
  return ok === null ? null : { all: ok + (incomplete ?? 0) + (failed ?? 0), cutOff: incomplete ?? 0 };
}

/** Reads a printed report and adds its errors. */
export function readGuideConsole(artifact: ArtifactText, report: GuideConsole, faults: Fault[]): GuideRun[] {
  const { info, stats } = report;
  addFaults(faults, info?.faults ?? []);
  addFaults(faults, stats?.faults ?? []);
  if (stats === null) {
    const message = `The report on line ${report.from} ends before its table of figures ("Benchmarks Stats:").`;
    addFaults(faults, [{ code: 'block_cut', line: report.from, message }]);
    return [];
  }
  if (info !== null && info.faults.length === 0 && info.rows.length !== stats.rows.length) {
    const message = `The tables of the report on line ${report.from} have ${info.rows.length} and ${stats.rows.length} rows.`;
    addFaults(faults, [{ code: 'tables_disagree', line: stats.from, message }]);
  }
  const metadata = readMetadata(artifact, report);
  return stats.rows.map((row, index) => {
    const name = (row.cells[0] ?? '').slice(0, 60);
    if (info?.rows[index] !== undefined && info.rows[index].cells[0] !== row.cells[0]) {
      const message = `The row on line ${row.from} is ${name}, but the table of counts has another benchmark in its place.`;
      addFaults(faults, [{ code: 'tables_disagree', line: row.from, message }]);
    }
    const run: GuideRun = {
      from: row.from,
      to: row.to,
      generation: 'until 0.3',
      figures: noFigures(row.from),
      strategy: name,
      load: null,
      model: metadata.model === null ? null : { value: metadata.model, origin: 'stated' },
      workload: metadata.workload,
      meanInput: null,
      meanOutput: null,
      isAnswered: false,
      countsCutOff: false,
      measuredAt: null,
    };
    readStats(run, stats, index, faults);
    run.isAnswered = run.figures.metrics.size > 0;
    const sent = info === null ? null : readInfo(run, info, index, faults);
    run.load = toLoad(parseStrategy(name, metadata.maxConcurrency), sent);
    return run;
  });
}
