import type { Fault } from '../../errors.ts';
import { type LlamaRow, type LlamaTable, tableFinder } from '../llama-cpp/table.ts';
import { type CommandLine, findCommand, optionValues } from '../reading/context/command-line.ts';
import { parseNumber } from '../reading/figures/numbers.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { findBenchyCsv } from './csv.ts';
import type { BenchyPoint, BenchyRun, BenchyStat, BenchyStats } from './point.ts';

const findPrinted = tableFinder({ program: 'llama-benchy', required: ['model', 'test', 'ttfr (ms)'] });
/** All tables, printed or CSV, in order of appearance. The labels are llama-bench's; the figures are measured by a client. */
export const findBenchyTables = cachedPerArtifact((artifact): LlamaTable[] => {
  const tables = [...findPrinted(artifact), ...findBenchyCsv(artifact)].sort((a, b) => a.from - b.from);
  return tables;
});

/** Parsed content of a `test` cell: `pp2048`, `tg32 @ d4096 (c5)`, `ctx_pp @ d4096`. */
export interface BenchyTest {
  isPrompt: boolean;
  isContextPhase: boolean;
  /** Null in the context phase, whose prompt is the context. */
  tokens: number | null;
  contextTokens: number;
  concurrency: number;
}

export function parseBenchyTest(text: string): BenchyTest | null {
  const found = /^(ctx_)?(pp|tg)(\d{1,9})?(?: @ d(\d{1,9}))?(?: \(c(\d{1,6})\))?$/.exec(text.trim());
  if (found === null) return null;
  const [, context, word, tokens, depth, concurrency = '1'] = found;
  if ((tokens === undefined) !== (context !== undefined) || (context !== undefined && depth === undefined)) return null;
  if (Number(concurrency) === 0) return null;
  return {
    isPrompt: word === 'pp',
    isContextPhase: context !== undefined,
    tokens: tokens === undefined ? null : Number(tokens),
    contextTokens: Number(depth ?? 0),
    concurrency: Number(concurrency),
  };
}

/** Reads `mean ± sd`; undefined for an empty cell, null for an unreadable one. */
export function parseBenchyStat(text: string): BenchyStat | null | undefined {
  if (text.trim() === '') return undefined;
  const [first = '', second, ...rest] = text.trim().split(/\s*±\s*/);
  const mean = parseNumber(first);
  const sd = second === undefined ? null : parseNumber(second);
  if (mean === null || mean < 0 || rest.length > 0 || (second !== undefined && (sd === null || sd < 0))) return null;
  return { mean, sd, values: null };
}

/** Meaning of each column in a prompt row and in a response row. Tables without `(total)` have one user. */
const columns: { name: string; prompt: keyof BenchyStats | null; answer: keyof BenchyStats | null }[] = [
  { name: 't/s', prompt: 'pp_throughput', answer: 'tg_throughput' },
  { name: 't/s (total)', prompt: 'pp_throughput', answer: 'tg_throughput' },
  { name: 't/s (req)', prompt: 'pp_req_throughput', answer: 'tg_req_throughput' },
  { name: 'peak t/s', prompt: null, answer: 'peak_throughput' },
  { name: 'peak t/s (req)', prompt: null, answer: 'peak_req_throughput' },
  { name: 'ttfr (ms)', prompt: 'ttfr', answer: null },
  { name: 'est_ppt (ms)', prompt: 'est_ppt', answer: null },
  { name: 'e2e_ttft (ms)', prompt: 'e2e_ttft', answer: null },
];
const used = new Set(['model', 'test', ...columns.map(({ name }) => name)]);

interface ReadRow {
  row: LlamaRow;
  test: BenchyTest;
  stats: BenchyStats;
}

function readRow(row: LlamaRow, faults: Fault[]): ReadRow | null {
  const unreadable = (column: string, wanted: string) => {
    const found = (row.cells.get(column) ?? '').slice(0, 60);
    const message = `"${found}" in column ${column} is not readable: expected something such as ${wanted}.`;
    faults.push({ code: 'cell_unreadable', line: row.from, message });
    return null;
  };
  const test = parseBenchyTest(row.cells.get('test') ?? '');
  if (test === null) return unreadable('test', 'pp2048 or tg32 @ d4096 (c5)');
  const stats: BenchyStats = {};
  for (const { name, prompt, answer } of columns) {
    const stat = parseBenchyStat(row.cells.get(name) ?? '');
    if (stat === null) return unreadable(name, '46.90 ± 0.90');
    const key = test.isPrompt ? prompt : answer;
    if (stat !== undefined && key !== null) stats[key] = stat;
  }
  // With one user, the user's speed is the total speed.
  if (!test.isPrompt && test.concurrency === 1 && stats.tg_throughput !== undefined)
    stats.tg_req_throughput ??= stats.tg_throughput;
  const isMeasured = (test.isPrompt ? stats.pp_throughput : stats.tg_throughput) !== undefined;
  if (!isMeasured) return unreadable(row.cells.has('t/s') ? 't/s' : 't/s (total)', '46.90 ± 0.90');
  return { row, test, stats };
}

const samePlace = (a: ReadRow, b: ReadRow) =>
  a.test.contextTokens === b.test.contextTokens &&
  a.test.concurrency === b.test.concurrency &&
  a.test.isContextPhase === b.test.isContextPhase &&
  a.row.cells.get('model') === b.row.cells.get('model');

/** The other half of a test: the response measured right after a prompt, or the prompt before a response. */
function partnerOf(rows: readonly ReadRow[], index: number): ReadRow | null {
  const own = rows[index];
  const other = rows[own?.test.isPrompt === true ? index + 1 : index - 1];
  return own !== undefined && other !== undefined && own.test.isPrompt !== other.test.isPrompt && samePlace(own, other)
    ? other
    : null;
}

/** Reads the rows of a table as points. Errors and unused columns are added to the lists. */
export function readBenchyRows(table: LlamaTable, faults: Fault[]): { points: BenchyPoint[]; ignored: string[] } {
  const rows = table.rows.flatMap((row) => readRow(row, faults) ?? []);
  const points = rows.map((own, index): BenchyPoint => {
    const other = partnerOf(rows, index);
    const [prompt, answer] = own.test.isPrompt ? [own, other] : [other, own];
    return {
      from: own.row.from,
      to: own.row.to,
      model: own.row.cells.get('model') ?? '',
      concurrency: own.test.concurrency,
      promptTokens: prompt?.test.tokens ?? null,
      responseTokens: answer?.test.tokens ?? null,
      contextTokens: own.test.contextTokens,
      isContextPhase: own.test.isContextPhase,
      stats: own.stats,
    };
  });
  return { points, ignored: table.columns.filter((column) => column !== '' && !used.has(column)) };
}

const isBenchy = ([first = '', second = '']: readonly string[]) =>
  /(?:^|\/)llama-benchy(?:==[\w.+-]{1,40})?$/.test(first === 'uvx' ? second : first);
/** Number of lines after a table that may contain its footer. */
const footerLines = 20;

/** The context of a table: the last command before it, and the footer with version and mode after it. */
export function readBenchyContext(
  artifact: ArtifactText,
  table: LlamaTable,
  free: { from: number; to: number },
): { run: BenchyRun; version: string | null } {
  let command: CommandLine | null = null;
  for (let line = free.from; line < table.from; line++) {
    if (!artifact.lineAt(line).includes('llama-benchy')) continue;
    command = findCommand(artifact, line, isBenchy) ?? command;
  }
  let version: string | null = null;
  let latencyMode: string | null = null;
  for (let line = table.to + 1; line <= Math.min(free.to, table.to + footerLines); line++) {
    const text = artifact.lineAt(line);
    version ??= /^\s*llama-benchy \(([\w.+-]{1,60})\)\s*$/.exec(text)?.[1] ?? null;
    latencyMode ??= /\| latency mode: (\w{1,40})/.exec(text)?.[1] ?? null;
  }
  const runs = command === null ? null : parseNumber(optionValues(command, '--runs').at(-1) ?? '');
  return {
    run: {
      runs: runs !== null && Number.isSafeInteger(runs) && runs > 0 ? runs : null,
      hasPrefixCaching: command?.words.includes('--enable-prefix-caching') === true,
      latencyMode,
      latencyMs: null,
      measuredAt: null,
    },
    version,
  };
}
