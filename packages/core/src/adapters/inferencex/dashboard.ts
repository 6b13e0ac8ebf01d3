import type { Fault } from '../../errors.ts';
import type { Adapter, ParsedResult, Reading } from '../adapter.ts';
import { ArtifactError, addFaults, maxFaults, maxResults, tooManyResults } from '../errors.ts';
import { noteIgnored } from '../plain-facts.ts';
import type { JsonObject } from '../reading/documents/json-records.ts';
import { isMissing, parseNumber, shiftDecimal } from '../reading/figures/numbers.ts';
import { type CsvRecord, readCsv } from '../reading/tables/csv.ts';
import { findAt } from '../reading/text/by-line.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { readInferencexRecord } from './record.ts';

const id = 'inferencex-dashboard';
const header = /^Model,ISL,OSL,Hardware,/;

/** Columns by the corresponding aggregate keys. */
const keys: Record<string, string> = {
  Model: 'model',
  ISL: 'isl',
  OSL: 'osl',
  Hardware: 'hw',
  Framework: 'framework',
  Precision: 'precision',
  TP: 'tp',
  PP: 'pp',
  EP: 'ep',
  Concurrency: 'conc',
  'Throughput/GPU (tok/s)': 'tput_per_gpu',
  'Output Throughput/GPU (tok/s)': 'output_tput_per_gpu',
  'Input Throughput/GPU (tok/s)': 'input_tput_per_gpu',
  Disaggregated: 'disagg',
  'Num Prefill GPUs': 'num_prefill_gpu',
  'Num Decode GPUs': 'num_decode_gpu',
  'Spec Decoding': 'spec_decoding',
  'DP Attention': 'dp_attention',
  'Is Multinode': 'is_multinode',
};
const latency = /^(Mean|Median|P\d{1,2}(?:\.\d)?|Std) (TTFT|TPOT|ITL|E2E Latency) \(ms\)$/;
const families: Record<string, string> = { TTFT: 'ttft', TPOT: 'tpot', ITL: 'itl', 'E2E Latency': 'e2el' };
const textual = new Set([
  'model',
  'hw',
  'framework',
  'precision',
  'disagg',
  'spec_decoding',
  'dp_attention',
  'is_multinode',
]);

interface Table {
  /** From the comments above the header. */
  from: number;
  to: number;
  columns: string[];
  rows: CsvRecord[];
  remarks: string[];
}

const findTables = cachedPerArtifact((artifact): Table[] => {
  const tables: Table[] = [];
  let after = 0;
  for (const line of artifact.linesWith('Model,ISL,OSL,Hardware,')) {
    if (line <= after || !header.test(artifact.lineAt(line))) continue;
    let from = line;
    while (from - 1 > after && line - from < 20 && artifact.lineAt(from - 1).startsWith('#')) from--;
    const remarks = artifact.lines.slice(from - 1, line - 1).map((text) => text.replace(/^#+\s*/, '').trim());
    const [first, ...rows] = readCsv(artifact, line, (text) => header.test(text) || !text.includes(','));
    const to = rows.at(-1)?.to ?? line;
    tables.push({ from, to, columns: (first?.cells ?? []).map((cell) => cell.trim()), rows, remarks });
    after = to;
  }
  return tables;
});

/** The headers say ms for both units. TPOT times interactivity is 1 if times are in seconds and 1000 if they are in ms. */
function secondsPlaces(cell: (column: string) => number | null): 0 | -3 | null {
  for (const statistic of ['Mean', 'Median', 'P99']) {
    const tpot = cell(`${statistic} TPOT (ms)`);
    const speed = cell(`${statistic} Interactivity (tok/s/user)`);
    if (tpot === null || speed === null || tpot === 0 || speed === 0) continue;
    const product = tpot * speed;
    if (Math.abs(product - 1) < 0.2) return 0;
    return Math.abs(product - 1000) < 200 ? -3 : null;
  }
  return null;
}

/** A row with the keys of an aggregate and times in seconds. */
function toFields(
  columns: readonly string[],
  cells: readonly string[],
  line: number,
): { fields: JsonObject; ignored: string[] } {
  const faults: Fault[] = [];
  const textAt = (column: string) => cells[columns.indexOf(column)]?.trim() ?? '';
  const places = secondsPlaces((column) => parseNumber(textAt(column)));
  const fields: JsonObject = {};
  const ignored: string[] = [];
  for (const [index, column] of columns.entries()) {
    const text = (cells[index] ?? '').trim();
    const timed = latency.exec(column);
    const key = timed === null ? keys[column] : `${(timed[1] ?? '').toLowerCase()}_${families[timed[2] ?? ''] ?? ''}`;
    if (key === undefined || !(timed !== null || Object.hasOwn(keys, column))) {
      ignored.push(column);
      continue;
    }
    if (isMissing(text) && key !== 'spec_decoding') continue;
    const number = textual.has(key) ? null : parseNumber(text);
    if (!textual.has(key) && number === null)
      faults.push({
        code: 'cell_unreadable',
        line,
        message: `"${text.slice(0, 40)}" in column ${column} is not a number.`,
      });
    else if (timed === null) fields[key] = number ?? text;
    else if (places !== null && number !== null) fields[key] = shiftDecimal(number, places);
    else if (number !== null) {
      const message = `The unit of the times on line ${line} is unclear: no TPOT times its interactivity is 1, as in seconds, or 1000, as in ms.`;
      throw new ArtifactError([{ code: 'unit_unknown', line, message }]);
    }
  }
  if (faults.length > 0) throw new ArtifactError(faults);
  return { fields, ignored };
}

function readRow(
  { columns }: Table,
  { cells, line, to }: CsvRecord,
): { result: ParsedResult; ignored: Iterable<string> } {
  if (cells.length !== columns.length) {
    const message = `The row on line ${line} has ${cells.length} cells, its header has ${columns.length}.`;
    throw new ArtifactError([{ code: 'row_unreadable', line, message }]);
  }
  const { fields, ignored } = toFields(columns, cells, line);
  const { result, ignored: unused } = readInferencexRecord(fields, { from: line, to });
  const date = cells[columns.indexOf('Date')]?.trim() ?? '';
  const extra = /^\d{4}-\d\d-\d\d$/.test(date) ? { ...result.extra, local_date: date } : result.extra;
  return { result: { ...result, extra }, ignored: [...ignored.filter((name) => name !== 'Date'), ...unused] };
}

function readTable(table: Table): Reading {
  const { columns, rows, from } = table;
  if (rows.length > maxResults) throw tooManyResults(from);
  const faults: Fault[] = [];
  const results: ParsedResult[] = [];
  const ignored = new Set<string>();
  if (new Set(columns).size < columns.length || rows.length === 0) {
    const message = `The table that begins on line ${from} has no rows, or a column twice.`;
    throw new ArtifactError([{ code: 'table_unreadable', line: from, message }]);
  }
  for (const row of rows) {
    if (faults.length >= maxFaults) break;
    try {
      const read = readRow(table, row);
      results.push(read.result);
      for (const name of read.ignored) ignored.add(name);
    } catch (error) {
      if (!(error instanceof ArtifactError)) throw error;
      addFaults(faults, error.faults);
    }
  }
  if (faults.length > 0) throw new ArtifactError(faults);
  const remarks = table.remarks.join('\n').slice(0, 2000);
  const source = /https:\/\/github\.com\/[\w.-]{1,80}\/[\w.-]{1,80}\w/.exec(remarks)?.[0] ?? null;
  return {
    tool: { name: 'inferencex', version: null },
    results,
    ignored: noteIgnored(ignored),
    notes: remarks === '' ? null : remarks,
    sourceUrl: source,
  };
}

/**
 * The export of InferenceX's dashboard: a row for each point of a chart. The headers say milliseconds, but cells may be in
 * seconds. The speed per user in the same row shows the unit.
 *
 * Written by https://github.com/SemiAnalysisAI/InferenceX-app
 */
export const inferencexDashboard: Adapter = {
  id,
  title: 'inferencex (dashboard CSV)',
  kind: 'serving',
  recognises: 'CSV with a header that begins Model,ISL,OSL,Hardware',
  command: 'the CSV download of an InferenceX chart',
  detect: (artifact) => findTables(artifact).map(({ from, to }) => ({ adapter: id, from, to })),
  read: (artifact, claim) => {
    const { found } = findAt(findTables(artifact), claim.from);
    if (found !== null) return readTable(found);
    return { tool: { name: 'inferencex', version: null }, results: [], ignored: [], notes: null, sourceUrl: null };
  },
};
