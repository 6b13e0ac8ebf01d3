import type { Fault } from '../../errors.ts';
import { type Adapter, noFacts, noRemarks, noResult, noScenario, type ParsedResult } from '../adapter.ts';
import { ArtifactError, addFaults, maxResults, tooManyResults } from '../errors.ts';
import { type LlamaTest, parseSpeed, parseTest } from '../llama-cpp/cells.ts';
import { toFigures } from '../llama-cpp/figures.ts';
import { findCommand, optionValues } from '../reading/context/command-line.ts';
import { modelFacts } from '../reading/context/model-name.ts';
import { parseNumber } from '../reading/figures/numbers.ts';
import { gridRule } from '../reading/tables/grid.ts';
import { toCells } from '../reading/tables/pipe-table.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { findAt } from '../reading/text/by-line.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';

const id = 'mistralrs-bench';

/** One table. Lines are 1-based and inclusive. */
interface Table {
  from: number;
  to: number;
  /** The layout with a column for the number of requests, until 2025. */
  hasConcurrency: boolean;
  rows: { line: number; cells: string[] }[];
  faults: Fault[];
}

const old = 'model|backend|test|t/s|ms/t|concurrency|throughput/s';
const recent = 'Test|T/s|Latency';
/** Rules within a table have other marks than its border. */
const isRule = (text: string) => gridRule.test(text) || /^\s*[├╞][╌─═┼╪]{3,}/.test(text);
const cellsAt = (artifact: ArtifactText, line: number) =>
  toCells(artifact.lineAt(line).slice(0, 1000).replace(/[│┆]/g, '|'));

function readTable(artifact: ArtifactText, line: number): Table | null {
  const header = cellsAt(artifact, line)?.join('|');
  if (header !== old && header !== recent) return null;
  const table: Table = { from: line, to: line, hasConcurrency: header === old, rows: [], faults: [] };
  const width = table.hasConcurrency ? 7 : 3;
  for (let at = line + 1; at <= artifact.lines.length; at++) {
    if (isRule(artifact.lineAt(at))) continue;
    const cells = cellsAt(artifact, at);
    const isRow = /^\s*[|│]/.test(artifact.lineAt(at));
    if (!isRow || cells?.join('|') === header) break;
    table.to = at;
    if (cells?.length === width) table.rows.push({ line: at, cells });
    else {
      const message = `The row on line ${at} does not have ${width} cells.`;
      addFaults(table.faults, [{ code: 'row_uneven', line: at, message, hint: 'Copy the table again.' }]);
    }
  }
  return table;
}

const findTables = cachedPerArtifact((artifact): Table[] =>
  [...artifact.linesWith('throughput/s'), ...artifact.linesWith('T/s ')]
    .flatMap((line) => readTable(artifact, line) ?? [])
    .filter(({ rows, faults }) => rows.length > 0 || faults.length > 0)
    .sort((a, b) => a.from - b.from),
);

/** The test of a row: `pp 512`, `tg 128`, `Prefill (512 tokens)` or `Decode (128 tokens @ d512)`. */
function toTest(text: string): LlamaTest | null {
  const [, phase, tokens, depth] = /^(Prefill|Decode) \((\d{1,9}) tokens(?: @ d(\d{1,9}))?\)$/.exec(text) ?? [];
  if (phase === undefined) return parseTest(text);
  return parseTest(`${phase === 'Prefill' ? 'pp' : 'tg'}${tokens}${depth === undefined ? '' : `@d${depth}`}`);
}

/** Facts in the lines between the table before and a table: its model, and the quantization that the command requests. */
function readContext(
  artifact: ArtifactText,
  after: number,
  line: number,
): { model: string | null; isq: string | null } {
  let model: string | null = null;
  let isq: string | null = null;
  for (let at = after + 1; at < line; at++) {
    const text = artifact.lineAt(at);
    model = /^\s{0,8}Model: (\S{1,200})\s*$/.exec(text)?.[1] ?? model;
    if (!text.includes('mistralrs')) continue;
    const command = findCommand(artifact, at, ([program = '']) => /(?:^|[/\\])mistralrs(?:-bench)?$/.test(program));
    isq = (command === null ? undefined : optionValues(command, '--isq', '--quant').at(-1)) ?? isq;
  }
  return { model, isq };
}

interface Row {
  line: number;
  test: LlamaTest;
  speed: number;
  sd: number | null;
  model: string | null;
  backend: string | null;
  concurrency: number;
  total: number | null;
}

function readRow({ line, cells }: Table['rows'][number], hasConcurrency: boolean): Row | null {
  const [model = null, backend = null] = hasConcurrency ? cells : [];
  const [name = '', rate = '', , requests = '', total = ''] = hasConcurrency ? cells.slice(2) : cells;
  const [test, speed] = [toTest(name), parseSpeed(rate)];
  const concurrency = !hasConcurrency ? 1 : /^[1-9]\d{0,6}$/.test(requests) ? Number(requests) : null;
  const all = hasConcurrency ? parseNumber(total) : null;
  if (test === null || speed === null || concurrency === null || (hasConcurrency && all === null)) return null;
  return { line, test, speed: speed.average, sd: speed.sd, model, backend, concurrency, total: all };
}

function toResult(row: Row, context: ReturnType<typeof readContext>): ParsedResult | null {
  const { test, speed, concurrency } = row;
  // The prompts of a batch are processed together, so the speed of one request is not that of all.
  if (concurrency > 1 && test.generatedTokens === 0) return null;
  const figures = toFigures({ test, average: speed, sd: null, n: null, samples: null });
  const named = modelFacts(row.model ?? context.model, 'stated');
  const isOnCpu = row.backend === 'CPU';
  return {
    ...noResult,
    ...figures,
    system: {
      ...noFacts,
      ...named,
      quantization: context.isq === null ? named.quantization : { value: context.isq, origin: 'context' },
      engine: { value: 'mistral.rs', origin: 'stated' },
      features: isOnCpu ? { backend: 'cpu' } : {},
    },
    scenario: { ...noScenario, ...figures.scenario, name: null },
    load: { mode: 'batch', level: concurrency },
    metrics:
      concurrency === 1 ? figures.metrics : { user_tok_s: speed, decode_tok_s: row.total ?? speed * concurrency },
    extra: row.sd === null ? {} : { tok_s_sd: row.sd },
    lines: { from: row.line, to: row.line },
  };
}

/**
 * The tables of `mistralrs-bench` and of `mistralrs bench`: prompts and generation, timed in the process. The deviation is over
 * all requests, whose number the tables do not state.
 *
 * Written by https://github.com/EricLBuehler/mistral.rs/blob/master/mistralrs-cli/src/commands/bench.rs and, until 2025,
 * `mistralrs-bench/src/main.rs`.
 */
export const mistralrsBench: Adapter = {
  id,
  title: 'mistralrs bench',
  kind: 'serving',
  recognises:
    'a table with the columns model, backend, test, t/s, ms/t, concurrency and throughput/s, or with Test, T/s and Latency',
  command: 'mistralrs bench -m MODEL | tee result.txt',
  detect: (artifact) => findTables(artifact).map(({ from, to }) => ({ adapter: id, from, to })),
  read: (artifact, claim) => {
    const { found, before } = findAt(findTables(artifact), claim.from);
    const tool = { name: 'mistralrs bench', version: null };
    if (found === null) return { tool, results: [], ignored: [], ...noRemarks };
    if (found.rows.length > maxResults) throw tooManyResults(found.from);
    const context = readContext(artifact, before?.to ?? 0, found.from);
    const faults = [...found.faults];
    const results: ParsedResult[] = [];
    const ignored = new Set<string>();
    for (const cells of found.rows) {
      const row = readRow(cells, found.hasConcurrency);
      const message = `The row on line ${cells.line} is not readable: ${cells.cells.join(' | ').slice(0, 200)}.`;
      if (row === null) addFaults(faults, [{ code: 'row_unreadable', line: cells.line, message }]);
      const result = row === null ? null : toResult(row, context);
      if (result !== null) results.push(result);
      else if (row !== null) ignored.add('prompt speeds of several requests');
    }
    if (results.length === 0 && faults.length === 0) {
      const message = `The table on line ${found.from} has only prompt speeds of several requests.`;
      faults.push({ code: 'nothing_measured', line: found.from, message, hint: 'Run it with --concurrency 1.' });
    }
    if (faults.length > 0) throw new ArtifactError(faults);
    return { tool, results, ignored: [...ignored], ...noRemarks };
  },
};
