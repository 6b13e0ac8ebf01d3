import type { Fault } from '../../errors.ts';
import type { MetricName } from '../../metrics/index.ts';
import { noFacts, noResult, noScenario, type ParsedResult } from '../adapter.ts';
import { addFaults, unreadable } from '../errors.ts';
import { isMissing, parseNumber, shiftDecimal } from '../reading/figures/numbers.ts';
import { isHeaderRule, readRow, toCells } from '../reading/tables/pipe-table.ts';
import { readRows } from '../reading/tables/read-each.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';

/** The table of `--show-report`, with a row for each batch. Lines are 1-based and inclusive. */
export interface BatchReport {
  from: number;
  to: number;
  header: string[];
  rows: { line: number; to: number; cells: string[] | null }[];
  /** Tokens of every response, from the sentence above the table; null if it is missing or states several. */
  outputTokens: number | null;
}

const columns = ['batch size', 'input len', 'latency (s)', 'output throughput (tok/s)'];
/** Columns that are not measurements: derived values, prices and links. */
const used = new Set([...columns, 'input throughput (tok/s)', 'acc length', 'cache hit rate']);
const sentence = /^\s*Input lens: .{1,400}\. Output lens: [[(](\d{1,9}),?[\])]\./;

function readReport(artifact: ArtifactText, from: number, header: string[]): BatchReport {
  const lineAt = (line: number) => artifact.lineAt(line);
  const report: BatchReport = { from, to: from, header, rows: [], outputTokens: null };
  for (let line = from + 1; line <= artifact.lines.length && lineAt(line).trimStart().startsWith('|'); line++) {
    const cells = toCells(lineAt(line));
    if (cells !== null && isHeaderRule(cells)) {
      report.to = line;
      continue;
    }
    const row = readRow(lineAt, line, (found) => found.length === header.length);
    report.rows.push({ line, to: row?.to ?? line, cells: row?.cells ?? null });
    report.to = row?.to ?? line;
    line = report.to;
  }
  const length = [from - 1, from - 2]
    .map((line) => sentence.exec(lineAt(line))?.[1])
    .find((length) => length !== undefined);
  report.outputTokens = length === undefined ? null : Number(length);
  return report;
}

/** All such tables with rows, in order of appearance. */
export const findBatchReports = cachedPerArtifact((artifact): BatchReport[] => {
  const reports: BatchReport[] = [];
  let after = 0;
  for (const line of artifact.linesWith('output throughput (tok/s)')) {
    const header = line > after ? toCells(artifact.lineAt(line)) : null;
    if (header === null || !columns.every((column) => header.includes(column))) continue;
    const report = readReport(artifact, line, header);
    if (report.rows.length > 0) reports.push(report);
    after = report.to;
  }
  return reports;
});

/** Decode speed divides by the time after the first token. If it is far above the overall rate, that time was almost zero. */
const maxDecodeRatio = 20;

function toResult(report: BatchReport, line: number, to: number, cells: readonly string[], faults: Fault[]) {
  const cell = (column: string) => cells[report.header.indexOf(column)] ?? '';
  const figure = (column: string, isNeeded: boolean) => {
    const text = cell(column).replace(/%$/, '');
    const number = parseNumber(text);
    if (number !== null && number > 0) return number;
    if (isNeeded || (number === null && !isMissing(text))) {
      const message = `"${column}" should be a number above 0, found "${text.slice(0, 60)}".`;
      addFaults(faults, [{ code: 'value_unreadable', line, message }]);
    }
    // 0.00 means not measured.
    return null;
  };
  const [batch, input, latencyS] = [figure('batch size', true), figure('input len', true), figure('latency (s)', true)];
  const decode = figure('output throughput (tok/s)', false);
  const accepted = figure('acc length', false);
  const prefill = figure('input throughput (tok/s)', false);
  if (batch === null || input === null || latencyS === null) return null;
  const output = report.outputTokens;
  const total = output === null ? null : (batch * (input + output)) / latencyS;
  const isExploded = decode !== null && total !== null && decode > maxDecodeRatio * total;
  const metrics: [MetricName, number | null][] = [
    ['e2e_ms_mean', shiftDecimal(latencyS, 3)],
    ['output_tok_s', output === null ? null : (batch * output) / latencyS],
    ['prefill_tok_s', prefill],
    ['decode_tok_s', isExploded ? null : decode],
  ];
  const cached = figure('cache hit rate', false) !== null;
  const result: ParsedResult = {
    ...noResult,
    system: {
      ...noFacts,
      engine: { value: 'sglang', origin: 'inferred' },
      features: {
        ...(accepted === null ? {} : { speculative_decoding: true }),
        ...(cached ? { prefix_caching: true } : {}),
      },
    },
    scenario: {
      ...noScenario,
      inputTokens: { value: input, origin: 'stated' },
      outputTokens: output === null ? null : { value: output, origin: 'context' },
    },
    load: { mode: 'batch', level: batch },
    metrics: Object.fromEntries(metrics.filter(([, value]) => value !== null)),
    definitions: {
      e2e_ms: 'whole_batch',
      ...(decode === null || isExploded ? {} : { decode_tok_s: 'client' }),
      ...(prefill === null ? {} : { prefill_tok_s: 'client' }),
    },
    extra: accepted === null ? {} : { acc_length: accepted },
    lines: { from: line, to },
  };
  return result;
}

/** The results of a table. Throws `ArtifactError` with all rows that do not fit the header or have no figures. */
export function readBatchReport(report: BatchReport): { results: ParsedResult[]; ignored: string[] } {
  const { results } = readRows({ ...report, faults: [] }, ({ line, to, cells }, faults) => {
    if (cells !== null) return toResult(report, line, to, cells, faults);
    const message = `The row on line ${line} does not have the ${report.header.length} cells of its header.`;
    throw unreadable(line, 'row_unreadable', message);
  });
  return { results, ignored: report.header.filter((column) => column !== '' && !used.has(column)) };
}
