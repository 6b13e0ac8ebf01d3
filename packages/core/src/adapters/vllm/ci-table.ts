import { quantizationHint } from '../../catalogue/names/quantization-hint.ts';
import type { Fault } from '../../errors.ts';
import type { MetricName } from '../../metrics/index.ts';
import { type Load, offlineLoad } from '../../subjects/load.ts';
import { type Adapter, noFacts, noRemarks, noResult, type ParsedResult, type SystemFacts } from '../adapter.ts';
import { ArtifactError, addFaults, maxResults, unreadable } from '../errors.ts';
import { toPlainText } from '../plain-facts.ts';
import { type JsonRecord, recordFinder, toClaims, within } from '../reading/documents/json-records.ts';
import { isMissing, parseNumber, shiftDecimal } from '../reading/figures/numbers.ts';
import { isHeaderRule, readRow, toCells } from '../reading/tables/pipe-table.ts';
import { type ReadOne, readEach, tableFaults } from '../reading/tables/read-each.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { findAt } from '../reading/text/by-line.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { isCiTable, isServing, toColumns } from './ci-columns.ts';
import { loadUnknown, toDefinitions } from './serving.ts';

const id = 'vllm-ci-table';
const tool = { name: 'vllm performance-benchmarks', version: null };
const longestHeader = 4000;

interface Row {
  cells: string[];
  from: number;
  to: number;
}

interface NamedRow {
  names: readonly string[];
  row: Row;
}

interface Table {
  from: number;
  to: number;
  names: string[];
  rows: Row[];
  faults: Fault[];
}

function toNames(text: string): string[] | null {
  if (text.length > longestHeader || !text.includes('Test name')) return null;
  const names = toCells(text);
  return names !== null && isCiTable(names) ? names : null;
}

function readTable(artifact: ArtifactText, from: number, names: string[]): Table {
  const table: Table = { from, to: from, names, rows: [], faults: [] };
  const lineAt = (line: number) => artifact.lineAt(line);
  for (let line = from + 1; lineAt(line).trimStart().startsWith('|'); line = table.to + 1) {
    if (toNames(lineAt(line)) !== null) break;
    const row = readRow(lineAt, line, (cells) => cells.length === names.length);
    table.to = row?.to ?? line;
    if (row === null) {
      const message = `The row on line ${line} does not have the ${names.length} cells of its header.`;
      addFaults(table.faults, [{ code: 'row_unreadable', line, message }]);
    } else if (!isHeaderRule(row.cells)) table.rows.push({ cells: row.cells, from: line, to: row.to });
  }
  return table;
}

const findTables = cachedPerArtifact((artifact): Table[] => {
  const tables: Table[] = [];
  // More results than the limit are rejected, so the search can stop.
  for (const line of artifact.linesWith('Test name')) {
    if (tables.length > maxResults) break;
    const names = line > (tables.at(-1)?.to ?? 0) ? toNames(artifact.lineAt(line)) : null;
    if (names !== null) tables.push(readTable(artifact, line, names));
  }
  return tables;
});

const findRecords = recordFinder((value) => (isCiTable(Object.keys(value)) ? 'whole' : null));

/** The GPU column. `8xNAME` counts GPUs; any other text may be a machine type and is kept. */
function toGpu(words: string): Pick<SystemFacts, 'gpu' | 'gpuCount'> {
  const plain = toPlainText(words).slice(0, 200);
  if (plain === '' || isMissing(plain)) return { gpu: null, gpuCount: null };
  const counted = /^(\d{1,4})x(?!.* x \d)(.+)$/.exec(plain);
  const count = Number(counted?.[1] ?? 0);
  return {
    gpu: { value: counted?.[2]?.trim() ?? plain, origin: 'inferred' },
    gpuCount: count > 0 ? { value: count, origin: 'inferred' } : null,
  };
}

/** Only some tables have a column for the rate. The name of a test states it only by convention. */
function toLoad(qps: string | null, names: readonly string[], metrics: ReadonlyMap<MetricName, number>): Load | null {
  const requests = metrics.get('requests_ok') ?? 0;
  if (qps === null)
    return isServing(names) ? null : requests > 0 ? { mode: 'burst', level: requests, regime: 'offline' } : offlineLoad;
  if (/^inf(?:inity)?$/i.test(qps)) return requests > 0 ? { mode: 'burst', level: requests } : null;
  const level = parseNumber(qps) ?? 0;
  return level > 0 ? { mode: 'rate', level, burstiness: null, maxConcurrency: null } : null;
}

interface Cells {
  facts: Map<string, string>;
  metrics: Map<MetricName, number>;
  extra: Record<string, number>;
  ignored: string[];
}

function readCells(names: readonly string[], { cells, from }: Row, faults: Fault[]): Cells {
  const read: Cells = { facts: new Map(), metrics: new Map(), extra: {}, ignored: [] };
  for (const [index, column] of toColumns(names).entries()) {
    const cell = cells[index] ?? '';
    const name = names[index] ?? '';
    if (column.kind === 'unknown') read.ignored.push(name);
    if (column.kind === 'fact') read.facts.set(column.name, cell);
    if (column.kind !== 'value' || isMissing(cell)) continue;
    const number = parseNumber(cell);
    if (number === null || number < 0) {
      const message = `"${cell.slice(0, 60)}" in column ${name.slice(0, 60)} is not a number.`;
      addFaults(faults, [{ code: 'cell_unreadable', line: from, message }]);
    } else if (number > 0 || column.value.name === 'requests_ok') {
      const value = column.isSeconds ? shiftDecimal(number, 3) : number;
      if (column.value.kind === 'metric') read.metrics.set(column.value.name, value);
      else read.extra[column.value.name] = value;
    }
  }
  return read;
}

function readNamedRow({ names, row }: NamedRow): ReadOne {
  const faults: Fault[] = [];
  const { facts, metrics, extra, ignored } = readCells(names, row, faults);
  const counted: readonly MetricName[] = ['requests_ok', 'duration_s'];
  const test = toPlainText(facts.get('test') ?? '').slice(0, 200);
  if (faults.length > 0) throw new ArtifactError(faults);
  if (![...metrics.keys()].some((name) => !counted.includes(name))) {
    const message = `The row on line ${row.from} has neither a rate nor a latency: nothing was measured.`;
    throw unreadable(row.from, 'nothing_measured', message);
  }
  const load = toLoad(facts.get('qps')?.trim() || null, names, metrics);
  const isBatch = metrics.has('e2e_ms_mean') && !metrics.has('req_s');
  const hint = quantizationHint(test);
  const engine = toPlainText(facts.get('engine') ?? '').slice(0, 100);
  const message = 'The table does not state how the requests were sent; the name of a test may suggest it.';
  const result: ParsedResult = {
    ...noResult,
    system: {
      ...noFacts,
      ...toGpu(facts.get('gpu') ?? ''),
      quantization: hint === null ? null : { value: hint, origin: 'inferred' },
      engine: engine === '' ? { value: 'vllm', origin: 'inferred' } : { value: engine, origin: 'stated' },
    },
    load,
    metrics: Object.fromEntries(metrics),
    definitions: isBatch ? { e2e_ms: 'whole_batch' } : toDefinitions(metrics.keys()),
    extra: { ...extra, test_name: test },
    notes: load === null || load.level === null ? [loadUnknown({ test_name: test }, message)] : [],
    lines: { from: row.from, to: row.to },
  };
  return { result, ignored };
}

const toCell = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';

/** A record as a row with its own header. */
function toRow({ value, from, to }: JsonRecord): NamedRow {
  const names = Object.keys(value);
  return { names, row: { cells: names.map((name) => toCell(value[name])), from, to } };
}

/**
 * The tables of vLLM's performance benchmarks in CI, as Markdown or as an array of their rows: latency of whole batches,
 * offline throughput, and serving. At most the name of a test states the model and the load. The Markdown file repeats its
 * tables as one JSON object of columns, which is not read again.
 *
 * Written by https://github.com/vllm-project/vllm/blob/main/.buildkite/performance-benchmarks/scripts/convert-results-json-to-markdown.py
 */
export const vllmCiTable: Adapter = {
  id,
  title: 'vllm performance-benchmarks',
  kind: 'serving',
  recognises: 'tables, or arrays of objects, with Test name, GPU and Tput (req/s) or Mean latency (ms)',
  command: 'python3 convert-results-json-to-markdown.py',
  detect: (artifact) => [
    ...findTables(artifact).map(({ from, to }) => ({ adapter: id, from, to })),
    ...toClaims(id, findRecords(artifact)),
  ],
  read: (artifact, claim) => {
    const { found } = findAt(findTables(artifact), claim.from);
    const rows =
      found === null
        ? within(findRecords(artifact), claim).map(toRow)
        : found.rows.map((row) => ({ names: found.names, row }));
    const read = readEach(rows, claim.from, readNamedRow, found === null ? [] : tableFaults(found));
    return { tool, ...read, ...noRemarks };
  },
};
