import type { Fault } from '../../errors.ts';
import type { MetricName } from '../../metrics/index.ts';
import type { KnownLoad } from '../../subjects/load.ts';
import { addFaults, maxFaults, maxResults } from '../errors.ts';
import { isMissing, parseNumber, shiftDecimal } from '../reading/figures/numbers.ts';
import { noFigures, type ReportFigures } from '../reading/figures/report-figures.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { countBefore } from '../reading/text/by-line.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { type AskedTokens, type HfBenchmark, type HfRun, isWarmup } from './result.ts';

/** A header row and the rows below it. Lines are 1-based and inclusive. */
export interface HfGrid {
  from: number;
  to: number;
  columns: string[];
  rows: { cells: string[]; from: number; to: number }[];
  faults: Fault[];
}

/** A border line of the grid. A terminal wraps it like any other line. */
const edge = /^\s*(?:[┌├└┐┤┘┬┼┴─]{1,2000}|[+|][+=-]{3,2000}[+|]?)\s*$/;
/** Most lines that one row was wrapped over, with some margin. */
const maxWrap = 6;

function toGridCells(text: string): string[] | null {
  const trimmed = text.trim();
  const bar = trimmed.startsWith('│') ? '│' : trimmed.startsWith('|') ? '|' : null;
  if (bar === null || trimmed.length < 3 || !trimmed.endsWith(bar)) return null;
  return trimmed
    .slice(1, -1)
    .split(bar)
    .map((cell) => cell.trim());
}

/** The row at a line, joined with the next lines if the terminal wrapped it; null if that does not form a row. */
function readGridRow(artifact: ArtifactText, line: number, isWhole: (cells: string[], to: number) => boolean) {
  let text = artifact.lineAt(line);
  if (!/^\s*[│|]/.test(text)) return null;
  for (let to = line; to < line + maxWrap; to++) {
    if (to > line) {
      const next = artifact.lineAt(to);
      if (next.trim() === '' || edge.test(next)) return null;
      text += next;
    }
    const cells = toGridCells(text);
    if (cells !== null && isWhole(cells, to)) return { cells, to };
  }
  return null;
}

function readGrid(artifact: ArtifactText, from: number, required: readonly string[]): HfGrid | null {
  if (!artifact.lineAt(from).includes(required[0] ?? '')) return null;
  // A wrapped line may end after a bar and look complete.
  const isHeader = (cells: string[], to: number) =>
    edge.test(artifact.lineAt(to + 1)) && required.every((name) => cells.includes(name));
  const header = readGridRow(artifact, from, isHeader);
  if (header === null || header.cells[0] !== required[0]) return null;
  const grid: HfGrid = { from, to: header.to, columns: header.cells, rows: [], faults: [] };
  for (let line = header.to + 1; line <= artifact.lines.length && grid.rows.length <= maxResults; line++) {
    const text = artifact.lineAt(line);
    if (edge.test(text)) {
      grid.to = line;
      if (text.includes('┘')) break;
      continue;
    }
    if (!/^\s*[│|]/.test(text)) break;
    const row = readGridRow(artifact, line, (cells) => cells.length === grid.columns.length);
    grid.to = row?.to ?? line;
    if (row === null) {
      const message = `The row on line ${line} does not have the ${grid.columns.length} cells of its header.`;
      const hint = 'Widen the terminal and copy the grid again, or send the JSON report.';
      if (grid.faults.length < maxFaults) grid.faults.push({ code: 'row_unreadable', line, message, hint });
      continue;
    }
    grid.rows.push({ cells: row.cells, from: line, to: row.to });
    line = row.to;
  }
  return grid;
}

export interface HfConsole {
  results: HfGrid;
  /** The parameter grid before it. */
  parameters: HfGrid | null;
  from: number;
  to: number;
}

const resultColumns = ['Benchmark', 'QPS', 'TTFT (avg)', 'ITL (avg)'];
/** All result grids, each with the parameter grid before it. */
export const findHfConsoles = cachedPerArtifact((artifact): HfConsole[] => {
  if (!artifact.has('QPS')) return [];
  const blocks: HfConsole[] = [];
  let parameters: HfGrid | null = null;
  let after = 0;
  for (const line of artifact.linesWith('Parameter', 'Benchmark')) {
    const text = artifact.lineAt(line);
    if (line <= after || (!text.includes('│') && !text.includes('|'))) continue;
    const asked = text.includes('Parameter') ? readGrid(artifact, line, ['Parameter', 'Value']) : null;
    const results = text.includes('Benchmark') ? readGrid(artifact, line, resultColumns) : null;
    if (results !== null) {
      blocks.push({ results, parameters, from: parameters?.from ?? results.from, to: results.to });
      parameters = null;
    } else if (asked !== null) parameters = asked;
    after = (results ?? asked)?.to ?? line;
  }
  return blocks;
});

export function withinConsoles(artifact: ArtifactText, from: number): HfConsole | null {
  const blocks = findHfConsoles(artifact);
  const found = blocks[countBefore(blocks, from)];
  return found?.from === from ? found : null;
}

/** `num_tokens=Some(200),min_tokens=200,max_tokens=200,variance=0`. */
function toAsked(text: string | undefined): AskedTokens | null {
  const found =
    /^num_tokens=(?:Some\((\d{1,9})\)|None),min_tokens=(\d{1,9}),max_tokens=(\d{1,9}),variance=(\d{1,9})$/.exec(
      text ?? '',
    );
  if (found === null) return null;
  const [, asked, least, most, variance] = found;
  return { tokens: asked === undefined ? null : Number(asked), varies: least !== most || variance !== '0' };
}

/** `{"engine": "TGI", "tp": "1"}`, Rust's format of a map. */
function toMeta(text: string | undefined): Map<string, string> {
  const pairs = [...(text ?? '').matchAll(/"([\w-]{1,60})": "([^"]{0,200})"/g)];
  return new Map(pairs.map(([, name = '', value = '']) => [name, value]));
}

const usedParameters = ['Max VUs', 'Prompt Options', 'Decode Options', 'Tokenizer', 'Extra Metadata'];

function toRun(grid: HfGrid | null, ignored: Set<string>): HfRun {
  const values = new Map((grid?.rows ?? []).map(({ cells: [name = '', value = ''] }) => [name, value]));
  for (const name of values.keys()) if (!usedParameters.includes(name)) ignored.add(name);
  const cellOf = (name: string) => {
    const text = values.get(name);
    return text === undefined || isMissing(text) ? undefined : text;
  };
  return {
    model: null,
    tokenizer: cellOf('Tokenizer') ?? null,
    maxUsers: parseNumber(cellOf('Max VUs') ?? ''),
    prompt: toAsked(cellOf('Prompt Options')),
    answer: toAsked(cellOf('Decode Options')),
    profile: null,
    meta: toMeta(cellOf('Extra Metadata')),
    measuredAt: null,
  };
}

/** Unit of each column and its metric. */
const columns: Record<string, { unit: string; metric: MetricName; places: 0 | 3 }> = {
  QPS: { unit: 'req/s', metric: 'req_s', places: 0 },
  'E2E Latency (avg)': { unit: 'sec', metric: 'e2e_ms_mean', places: 3 },
  'TTFT (avg)': { unit: 'ms', metric: 'ttft_ms_mean', places: 0 },
  'ITL (avg)': { unit: 'ms', metric: 'tpot_ms_mean', places: 0 },
  Throughput: { unit: 'tokens/sec', metric: 'output_tok_s', places: 0 },
};
const otherColumns = [
  'Benchmark',
  'Successful Requests',
  'Prompt tokens per req (avg)',
  'Decoded tokens per req (avg)',
];

function readCell(figures: ReportFigures, column: string, text: string): void {
  const wanted = Object.hasOwn(columns, column) ? columns[column] : undefined;
  if (wanted === undefined) {
    if (!otherColumns.includes(column)) figures.ignored.add(column);
    return;
  }
  if (isMissing(text) || /^NaN /.test(text)) return;
  const { unit, metric, places } = wanted;
  const number = text.endsWith(` ${unit}`) ? parseNumber(text.slice(0, -unit.length - 1)) : null;
  if (number === null || number < 0) {
    const message = `"${text.slice(0, 60)}" in column ${column} is not a number in ${unit}.`;
    figures.faults.push({ code: 'cell_unreadable', line: figures.line, message });
  } else if (number > 0) figures.metrics.set(metric, places === 0 ? number : shiftDecimal(number, places));
}

function readCounts(figures: ReportFigures, text: string): void {
  const [, succeeded, all] = /^(\d{1,9})\/(\d{1,9})$/.exec(text) ?? [];
  if (succeeded === undefined || all === undefined || Number(succeeded) > Number(all)) {
    const message = `"${text.slice(0, 60)}" is not a number of successful requests out of all.`;
    figures.faults.push({ code: 'cell_unreadable', line: figures.line, message });
    return;
  }
  figures.metrics.set('requests_ok', Number(succeeded));
  figures.metrics.set('requests_failed', Number(all) - Number(succeeded));
  figures.extra.requests_sent = Number(all);
}

function toLoad(name: string, users: number | null): KnownLoad | null {
  const rate = parseNumber(/^constant@([\d.]{1,20})req\/s$/.exec(name)?.[1] ?? '');
  if (rate !== null) return rate > 0 ? { mode: 'rate', level: rate, maxConcurrency: users } : null;
  return name === 'throughput' && users !== null && users > 0 ? { mode: 'concurrency', level: users } : null;
}

export function readHfConsole(block: HfConsole, faults: Fault[]) {
  const ignored = new Set<string>();
  const run = toRun(block.parameters, ignored);
  addFaults(faults, block.parameters?.faults ?? []);
  addFaults(faults, block.results.faults);
  const benchmarks: HfBenchmark[] = [];
  for (const { cells, from, to } of block.results.rows) {
    const name = cells[0] ?? '';
    if (isWarmup(name)) continue;
    const figures = noFigures(from);
    for (const [index, column] of block.results.columns.entries()) {
      const text = cells[index] ?? '';
      if (column === 'Successful Requests') readCounts(figures, text);
      else readCell(figures, column, text);
      const mean = /^(Prompt|Decoded) tokens per req/.exec(column)?.[1];
      const tokens = mean === undefined ? null : parseNumber(text);
      // A mean with two decimals does not give an exact total.
      if (tokens !== null) figures.extra[mean === 'Prompt' ? 'input_tokens_mean' : 'output_tokens_mean'] = tokens;
    }
    addFaults(faults, figures.faults);
    for (const column of figures.ignored) ignored.add(column);
    benchmarks.push({ name: name.slice(0, 200), load: toLoad(name, run.maxUsers), figures, from, to });
  }
  return { run, benchmarks, ignored };
}
