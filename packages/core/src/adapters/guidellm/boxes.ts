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
import {
  formatStrategy,
  noWorkload,
  parseStrategy,
  type Strategy,
  toLoad,
  toWorkload,
  type Workload,
} from './workload.ts';

type Title = 'summary' | 'tokens' | 'latency' | 'throughput';

/** The output of versions since 0.4 at the end of a run. Lines are 1-based and inclusive. */
export interface GuideBoxes {
  from: number;
  to: number;
  tables: Partial<Record<Title, GuideTable>>;
  countsAll: boolean;
}

const titles: [RegExp, Title][] = [
  [/^\W{0,8}Run Summary Info\s*$/, 'summary'],
  [/^\W{0,8}Request Token Statistics \(Completed Requests\)\s*$/, 'tokens'],
  [/^\W{0,8}Request Latency Statistics \(Completed Requests\)\s*$/, 'latency'],
  [/^\W{0,8}Server Throughput Statistics(?: \(All Requests\))?\s*$/, 'throughput'],
];

/** All printed reports. A table that occurs again begins the next report. */
export const findGuideBoxes = cachedPerArtifact((artifact): GuideBoxes[] => {
  if (!artifact.has('Statistics')) return [];
  const reports: GuideBoxes[] = [];
  for (const line of artifact.linesWith('Run Summary', ' Statistics')) {
    if (line <= (reports.at(-1)?.to ?? 0)) continue;
    const text = artifact.lineAt(line);
    const kind = text.length < 120 ? titles.find(([pattern]) => pattern.test(text))?.[1] : undefined;
    const table = kind === undefined ? null : readGuideTable(artifact, line + 1, 3);
    if (kind === undefined || table === null) continue;
    let open = reports.at(-1);
    if (open === undefined || kind === 'summary' || open.tables[kind] !== undefined) {
      open = { from: line, to: line, tables: {}, countsAll: false };
      reports.push(open);
    }
    open.tables[kind] = table;
    if (kind === 'throughput') open.countsAll = text.includes('All Requests');
    open.to = table.to;
  }
  const ours = reports.filter(({ tables }) => tables.latency !== undefined || tables.throughput !== undefined);
  return ours;
});

/** Facts of a run in the log before its report. */
interface Log {
  model: string | null;
  workload: Workload;
  rates: number[];
  streams: number[];
}

/** Maximum number of log lines before a report. */
const maxLog = 400;

function numbersIn(text: string, name: string): number[] {
  const list = new RegExp(`(?<![a-z_])${name}["']?\\s?[:=]\\s?\\[([\\d., ]{1,400})\\]`).exec(text)?.[1];
  return list === undefined ? [] : list.split(',').map(Number).filter(Number.isFinite);
}

function readLog(artifact: ArtifactText, from: number, to: number): Log {
  const lines = artifact.lines.slice(Math.max(from, to - maxLog) - 1, to - 1);
  const text = lines.map((line) => line.slice(0, 2000)).join(' ');
  const model = /backend validated with model (\S{1,300})/.exec(text)?.[1] ?? null;
  const data = /["']?prompt_tokens["']?\s?[:=].{0,600}/.exec(text)?.[0];
  return {
    model: model === null ? null : toModelName(toPlainText(model)),
    workload: data === undefined ? noWorkload : toWorkload(data),
    rates: numbersIn(text, 'rate'),
    streams: numbersIn(text, 'streams'),
  };
}

const latencies: [RegExp, RegExp, 'ttft_ms' | 'tpot_ms' | 'e2e_ms', 0 | 3][] = [
  [/^TTFT$/, /^ms$/, 'ttft_ms', 0],
  [/^ITL$/, /^ms$/, 'tpot_ms', 0],
  [/^RequestLatency$/, /^Sec$/, 'e2e_ms', 3],
];

/** For rates, only the mean is a throughput. */
const rates: [RegExp, MetricName][] = [
  [/^Requests$/, 'req_s'],
  [/^InputTokens$/, 'input_tok_s'],
  [/^OutputTokens$/, 'output_tok_s'],
  [/^TotalTokens$/, 'total_tok_s'],
];

function readLatency(run: GuideRun, table: GuideTable, index: number, faults: Fault[]): void {
  const row = table.rows[index];
  for (const [group, unit, family, places] of latencies) {
    for (const [word, statistic] of [
      [/^Mdn$/, 'p50'],
      [/^p95$/, 'p95'],
    ] as const) {
      const value = readTableFigure(table, row, findColumn(table, group, unit, word), faults);
      if (value !== null && value > 0) run.figures.metrics.set(`${family}_${statistic}`, shiftDecimal(value, places));
    }
  }
  const perToken = readTableFigure(table, row, findColumn(table, /^TPOT$/, /^ms$/, /^Mdn$/), faults);
  if (perToken !== null && perToken > 0) run.figures.extra.time_per_output_token_ms_p50 = perToken;
}

function readThroughput(run: GuideRun, table: GuideTable, index: number, faults: Fault[]): void {
  const row = table.rows[index];
  for (const [group, metric] of rates) {
    const rate = readTableFigure(table, row, findColumn(table, group, /^PerSec$/, /^Mean$/), faults);
    if (rate !== null && rate > 0) run.figures.metrics.set(metric, rate);
  }
  const concurrency = readTableFigure(table, row, findColumn(table, /^Requests$/, /^Concurrency$/, /^Mean$/), faults);
  if (concurrency !== null) run.figures.extra.mean_concurrency = concurrency;
}

function readSummary(run: GuideRun, table: GuideTable, index: number, faults: Fault[]): void {
  const row = table.rows[index];
  const { metrics } = run.figures;
  const of = (...headers: RegExp[]) => readTableFigure(table, row, findColumn(table, ...headers), faults);
  const seconds = of(/^Timings$/, /^Dur$/, /^Sec$/);
  if (seconds !== null && seconds > 0) metrics.set('duration_s', seconds);
  const input = of(/^InputTokens$/, /^Comp$/, /^Tot$/);
  const output = of(/^OutputTokens$/, /^Comp$/, /^Tot$/);
  if (input !== null && input > 0) metrics.set('input_tokens', input);
  if (output !== null) metrics.set('output_tokens', output);
}

/** The strategy of a row. The tables omit the rate; the log states it if it has one for each row. */
function strategyOf(kind: string, index: number, rows: number, log: Log): Strategy {
  const named = parseStrategy(kind);
  const of = (values: readonly number[]) => (values.length === rows ? (values[index] ?? null) : null);
  return { ...named, rate: named.rate ?? of(log.rates), streams: named.streams ?? of(log.streams) };
}

function emptyRun(row: { from: number; to: number }, log: Log, countsAll: boolean): GuideRun {
  return {
    from: row.from,
    to: row.to,
    generation: 'since 0.4',
    figures: noFigures(row.from),
    strategy: null,
    load: null,
    model: log.model === null ? null : { value: log.model, origin: 'context' },
    workload: log.workload,
    meanInput: null,
    meanOutput: null,
    isAnswered: true,
    countsCutOff: countsAll,
    measuredAt: null,
  };
}

/** Reads a printed report and adds its errors. `free` is the first line that does not belong to an earlier report. */
export function readGuideBoxes(artifact: ArtifactText, report: GuideBoxes, free: number, faults: Fault[]): GuideRun[] {
  const { summary, latency, throughput } = report.tables;
  const tables = [summary, latency, throughput].filter((table) => table !== undefined);
  for (const { faults: found } of Object.values(report.tables)) addFaults(faults, found);
  const main = latency ?? throughput;
  if (main === undefined || faults.length > 0) return [];
  const rows = main.rows.length;
  for (const table of tables) {
    const isSame = table.rows.every(({ cells: [name] }, index) => name === main.rows[index]?.cells[0]);
    if (table.rows.length === rows && isSame) continue;
    const message = `The tables of the report on line ${report.from} do not list the same benchmarks.`;
    addFaults(faults, [{ code: 'tables_disagree', line: table.from, message }]);
  }
  const log = readLog(artifact, free, report.from);
  return main.rows.map((row, index) => {
    const run = emptyRun(row, log, report.countsAll);
    if (latency !== undefined) readLatency(run, latency, index, faults);
    if (throughput !== undefined) readThroughput(run, throughput, index, faults);
    run.isAnswered = run.figures.metrics.size > 0;
    if (summary !== undefined) readSummary(run, summary, index, faults);
    if (run.figures.metrics.get('output_tokens') === 0) run.isAnswered = false;
    const strategy = strategyOf(row.cells[0] ?? '', index, rows, log);
    run.strategy = formatStrategy(strategy);
    run.load = toLoad(strategy, null);
    return run;
  });
}
