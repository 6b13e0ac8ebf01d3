import type { Fault } from '../../errors.ts';
import { parseNumber } from '../reading/figures/numbers.ts';
import { toCells } from '../reading/tables/pipe-table.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import type { PercentileCell, SummaryRow } from './perf-text.ts';

/** The columns of the tables of all loads as labels of the summary of one load. */
export const columns: Record<string, string> = {
  'conc.': 'Number of concurrency',
  rate: 'Request rate (req/s)',
  num: 'Total requests',
  rps: 'Request throughput (req/s)',
  'gen/s': 'Output token throughput (tok/s)',
  'gen. toks/s': 'Output token throughput (tok/s)',
  'gen. tok/s': 'Output token throughput (tok/s)',
  'avg lat.(s)': 'Average latency (s)',
  'avg ttft(s)': 'TTFT (s)',
  'avg ttft(ms)': 'TTFT (ms)',
  'avg tpot(s)': 'TPOT (s)',
  'avg tpot(ms)': 'TPOT (ms)',
  'avg in toks': 'Avg input tokens',
  'avg out toks': 'Avg output tokens',
  'avg turns/req': 'Avg turns/request',
  'input tokens': 'Avg input tokens',
  'output tokens': 'Avg output tokens',
  'turns/req': 'Avg turns/request',
};
const percentileColumns: Record<string, string> = {
  'p99 lat.(s)': 'Latency (s)',
  'p99 ttft(s)': 'TTFT (s)',
  'p99 ttft(ms)': 'TTFT (ms)',
  'p99 tpot(s)': 'TPOT (s)',
  'p99 tpot(ms)': 'TPOT (ms)',
};
const success = /^success(?: rate)?$/;
const latencies = /^(?:Latency \(s\)|(?:TTFT|TPOT) \(m?s\))$/;

/** The row of one load. */
export interface LoadRow {
  line: number;
  concurrency: string;
  rows: SummaryRow[];
  cells: PercentileCell[];
  /** Percent of the requests that succeeded, as printed. */
  success: number | null;
}

export interface LoadTable {
  from: number;
  to: number;
  names: string[];
  loads: LoadRow[];
  faults: Fault[];
}

/** A row with its bars replaced by pipes. */
export const barred = (text: string) => text.replaceAll(/[┃│]/g, '|');
export const rule = /^\s*[+┏┡└├╇┌╘╞╒][-=─━═╇┻┳┴┼╪]{2,}/;

/** The names of the columns, which the terminal wraps over several lines. */
function readHeader(artifact: ArtifactText, line: number): { names: string[]; from: number; to: number } | null {
  const cellsAt = (at: number) => (rule.test(artifact.lineAt(at)) ? null : toCells(barred(artifact.lineAt(at))));
  const width = cellsAt(line)?.length ?? 0;
  if (width < 3) return null;
  let from = line;
  while (line - from < 4 && cellsAt(from - 1)?.length === width) from--;
  let to = line;
  while (to - line < 4 && !rule.test(artifact.lineAt(to + 1)) && cellsAt(to + 1)?.length === width) to++;
  // Without a rule under the header, the first row may also be names.
  if (!rule.test(artifact.lineAt(to + 1))) return null;
  const lines = Array.from({ length: to - from + 1 }, (_, index) => cellsAt(from + index) ?? []);
  const names = Array.from({ length: width }, (_, index) =>
    lines
      .map((cells) => cells[index] ?? '')
      .join(' ')
      .trim()
      .toLowerCase(),
  );
  return names[0] === 'conc.' ? { names, from, to: to + 1 } : null;
}

function addCells(load: LoadRow, names: readonly string[], cells: readonly string[], line: number): void {
  const metric = names.indexOf('metric');
  if (metric >= 0) {
    const printed = cells[metric] ?? '';
    const label = latencies.test(printed) ? printed : (columns[printed.toLowerCase()] ?? printed);
    for (const [index, value] of cells.entries()) {
      const name = names[index] ?? '';
      if (name === 'avg') load.rows.push({ line, label, value });
      else if (latencies.test(label) && /^(?:p\d{2}|max|min)$/.test(name))
        load.cells.push({ line, label, percentile: name.replace(/^p(\d+)$/, '$1%'), value });
    }
    return;
  }
  for (const [index, value] of cells.entries()) {
    const name = names[index] ?? '';
    const percentile = percentileColumns[name];
    if (success.test(name)) load.success = parseNumber(value.replace(/%$/, ''));
    else if (percentile !== undefined) load.cells.push({ line, label: percentile, percentile: '99%', value });
    else load.rows.push({ line, label: columns[name] ?? name, value });
  }
}

/** The table whose header includes a line; null if there is none. */
export function readLoadTable(artifact: ArtifactText, line: number): LoadTable | null {
  const header = readHeader(artifact, line);
  if (header === null) return null;
  const { names } = header;
  const loads: LoadRow[] = [];
  const faults: Fault[] = [];
  let to = header.to;
  for (let at = header.to + 1; loads.length < 1000; at++) {
    const text = artifact.lineAt(at);
    const isRule = rule.test(text);
    const isEnd = isRule && /^\s*[└╘]/.test(text);
    const cells = isRule ? [] : toCells(barred(text));
    if (cells === null) break;
    to = at;
    if (isEnd) break;
    if (isRule) continue;
    if (cells.length !== names.length) {
      faults.push({
        code: 'row_uneven',
        line: at,
        message: `The row on line ${at} does not have ${names.length} cells.`,
      });
      break;
    }
    const [concurrency = ''] = cells;
    const last = loads.at(-1);
    const isSame = concurrency === '' && names.includes('metric') && last !== undefined;
    const load = isSame ? last : { line: at, concurrency, rows: [], cells: [], success: null };
    if (!isSame) loads.push(load);
    addCells(load, names, cells, at);
  }
  return { from: header.from, to, names, loads, faults };
}
