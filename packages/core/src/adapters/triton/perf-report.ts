import type { Fault } from '../../errors.ts';
import type { MetricName } from '../../metrics/index.ts';
import {
  type Adapter,
  noFacts,
  noRemarks,
  noResult,
  noScenario,
  type ParsedResult,
  type Reading,
  type StatedUnit,
} from '../adapter.ts';
import { ArtifactError, addFaults, maxFaults, maxResults, tooManyResults, unreadable } from '../errors.ts';
import { isMissing, parseNumber, shiftDecimal } from '../reading/figures/numbers.ts';
import { findAt } from '../reading/text/by-line.ts';
import { findTritonTables, type TritonTable } from './table.ts';

const id = 'triton-perf-report';

/** The unit of a column: a time in ms after shifting its decimal point, or a rate in TFLOP/s. */
interface Unit {
  kind: 'ms' | 'tflop_s';
  places: number;
}

const units: [RegExp, Unit | null][] = [
  [/\bTFLOPS\b|\bTFLOP\/s|\bTF\/s/i, { kind: 'tflop_s', places: 0 }],
  [/\bGFLOPS\b|\bGFLOP\/s/i, { kind: 'tflop_s', places: -3 }],
  [/\bms\b|\bmilliseconds?\b/i, { kind: 'ms', places: 0 }],
  [/(?:\bu|[µμ])s\b|\bmicroseconds?\b/i, { kind: 'ms', places: -3 }],
  // We have no metric for memory bandwidth.
  [/\bGB\/s/i, null],
];

/** The unit in a text; undefined if there is none, null if we do not support it. */
export function parseUnit(words: string): Unit | null | undefined {
  return units.find(([pattern]) => pattern.test(words))?.[1];
}

const capital = /^[A-Z][A-Z0-9_]*$/;

/**
 * Number of leading columns that are the x of the plot: the first, and others with an upper-case name and only whole
 * numbers. At least one column is a provider. If three or more columns all look like x, the measured one is unknown.
 */
function countAxes({ columns, rows, header }: TritonTable): number {
  const isWhole = (index: number) =>
    rows.every(({ cells }) => {
      const number = parseNumber(cells[index] ?? '');
      return number !== null && Number.isSafeInteger(number);
    });
  let axes = 1;
  while (axes < columns.length && capital.test(columns[axes] ?? '') && isWhole(axes)) axes++;
  if (axes < columns.length) return axes;
  if (axes === 2) return 1;
  const message = `Line ${header} names ${columns.slice(0, 8).join(', ').slice(0, 120)}, and each may be the x axis of a plot or a measurement.`;
  throw unreadable(
    header,
    'columns_ambiguous',
    message,
    'Write the unit after each measurement, as in "CUBLAS (TFLOPS)".',
  );
}

const backward = /\b(?:bwd|backward)\b/i;
const forward = /\b(?:fwd|forward)\b/i;

/**
 * Which pass was timed, from the name of the column, else of the table. The first name that states a pass decides; without
 * one it is the forward pass. Null if both passes were timed together. Underscores separate words.
 */
function isBackwardPass(...names: string[]): boolean | null {
  for (const name of names) {
    const words = name.replace(/_/g, '-');
    const calls = [forward.test(words), backward.test(words)];
    if (calls[0] || calls[1]) return calls[0] && calls[1] ? null : (calls[1] ?? false);
  }
  return false;
}

function metricOf({ kind }: Unit, isBackward: boolean): MetricName {
  if (kind === 'ms') return isBackward ? 'backward_ms' : 'forward_ms';
  return isBackward ? 'backward_tflop_s' : 'forward_tflop_s';
}

/** The number format in a provider's brackets: "Triton [FP8]". */
const format = /\[(fp\d{1,2}|bf16|int\d|fp8e\d)\]/i;

interface Column {
  index: number;
  provider: string;
  metric: MetricName;
  places: number;
}

/** The last brackets of a column, and the text before them: "Triton [FP16] (Runtime (ms))". */
const bracketed = /^(.{1,100}) \(((?:[^()]|\([^()]{0,40}\)){1,60})\)$/;

function toColumns(table: TritonTable, axes: number, given: StatedUnit | undefined, faults: Fault[]): Column[] {
  return table.columns.slice(axes).flatMap((column, position) => {
    const [, before, words = ''] = bracketed.exec(column) ?? [];
    const own = parseUnit(words);
    const printed = own === undefined ? parseUnit(table.remark) : own;
    const stated = given === undefined ? undefined : parseUnit(given);
    if (stated && printed && (stated.kind !== printed.kind || stated.places !== printed.places)) {
      const message = `unit=${given} was given, but "${column.slice(0, 80)}" states another unit.`;
      faults.push({
        code: 'facts_contradict',
        line: table.header,
        message,
        hint: 'Omit unit to use the unit of the table.',
      });
      return [];
    }
    const unit = printed === undefined ? stated : printed;
    const provider = own === undefined || before === undefined ? column : before;
    const isBackward = isBackwardPass(provider, table.name ?? '', table.remark);
    if (isBackward === null) {
      const message = `"${column.slice(0, 80)}" times the forward and the backward call together, which is not a supported metric.`;
      faults.push({ code: 'pass_unsupported', line: table.header, message });
      return [];
    }
    const place = { index: axes + position, provider };
    if (unit != null) return [{ ...place, metric: metricOf(unit, isBackward), places: unit.places }];
    const line = unit === null ? table.header : table.from;
    faults.push(
      unit === null
        ? {
            code: 'unit_unsupported',
            line,
            message: `Column "${column.slice(0, 80)}" counts GB/s, which is not a supported metric.`,
          }
        : {
            code: 'unit_missing',
            line,
            message: `It is not stated what "${column.slice(0, 80)}" counts: the script returned TFLOPS, GB/s or ms.`,
            hint: 'Pass unit=TFLOPS or unit=ms, or write it after the name, as in "matmul: (TFLOPS)".',
          },
    );
    return [];
  });
}

function toResult(
  table: TritonTable,
  { provider, metric }: Column,
  value: number,
  shape: readonly number[],
  line: number,
): ParsedResult {
  const dtype = format.exec(provider)?.[1];
  const axes = table.columns.slice(0, shape.length);
  return {
    ...noResult,
    kind: 'kernel',
    system: {
      ...noFacts,
      engine: { value: provider, origin: 'stated' },
      quantization: dtype === undefined ? null : { value: dtype.toLowerCase(), origin: 'inferred' },
    },
    scenario: {
      ...noScenario,
      kernel: { operation: provider, case: table.name ?? 'without a name', shape: [...shape], sparsity: null },
    },
    load: { mode: 'batch', level: 1 },
    metrics: { [metric]: value },
    extra: Object.fromEntries(axes.map((axis, index) => [`x_${axis.slice(0, 60).toLowerCase()}`, shape[index] ?? 0])),
    lines: { from: line, to: line },
  };
}

function readRow(
  table: TritonTable,
  columns: readonly Column[],
  axes: number,
  { cells, line }: TritonTable['rows'][number],
) {
  const faults: Fault[] = [];
  const shape = cells.slice(0, axes).map((cell) => parseNumber(cell));
  if (cells.length !== table.columns.length) {
    const message = `The row on line ${line} has ${cells.length} cells, its header has ${table.columns.length}.`;
    throw unreadable(line, 'row_unreadable', message);
  }
  const known = shape.filter((value) => value !== null);
  if (known.length < shape.length) {
    const message = `The row on line ${line} does not begin with the numbers of its ${table.columns.slice(0, axes).join(', ').slice(0, 80)}.`;
    throw unreadable(line, 'row_unreadable', message);
  }
  const results = columns.flatMap((column) => {
    const text = cells[column.index] ?? '';
    // NaN means that it did not run.
    if (isMissing(text)) return [];
    const value = parseNumber(text);
    if (value !== null && value > 0) return [toResult(table, column, shiftDecimal(value, column.places), known, line)];
    const message = `"${text.slice(0, 40)}" in column ${column.provider.slice(0, 80)} is not a number above 0.`;
    faults.push({ code: 'cell_unreadable', line, message });
    return [];
  });
  if (faults.length > 0) throw new ArtifactError(faults);
  return results;
}

function readTable(table: TritonTable, given: StatedUnit | undefined): Reading {
  if (table.isCut) {
    const message = `The table that begins on line ${table.from} was cut by pandas: columns or rows are missing.`;
    throw unreadable(table.from, 'table_cut', message, 'Send the CSV that save_path writes.');
  }
  const faults: Fault[] = [];
  if (new Set(table.columns).size < table.columns.length)
    faults.push({ code: 'table_unreadable', line: table.header, message: 'The header names a column twice.' });
  const axes = countAxes(table);
  const columns = toColumns(table, axes, given, faults);
  const results: ParsedResult[] = [];
  for (const row of faults.length > 0 ? [] : table.rows) {
    if (faults.length >= maxFaults) break;
    if (results.length > maxResults) throw tooManyResults(table.from);
    try {
      for (const result of readRow(table, columns, axes, row)) results.push(result);
    } catch (error) {
      if (!(error instanceof ArtifactError)) throw error;
      addFaults(faults, error.faults);
    }
  }
  if (faults.length === 0 && results.length === 0) {
    const message = `The table that begins on line ${table.from} has no figure.`;
    faults.push({ code: 'nothing_measured', line: table.from, message });
  }
  if (faults.length > 0) throw new ArtifactError(faults.slice(0, maxFaults));
  return { tool: { name: 'triton perf_report', version: null }, results, ignored: [], ...noRemarks };
}

/**
 * Tables of `triton.testing.perf_report`: a name and a pandas frame with one column for each provider. Each figure is a
 * separate result. Until late 2025 the tool does not print the unit. It must then be after the name or in the columns, or
 * the client states it with `unit=`.
 *
 * Written by https://github.com/triton-lang/triton/blob/main/python/triton/testing.py (`Mark._run`).
 */
export const tritonPerfReport: Adapter = {
  id,
  title: 'triton perf_report',
  kind: 'kernel',
  takesUnit: true,
  recognises: 'a line "name:" above a data frame whose first row begins with 0, or its CSV with units in the header',
  command: 'python benchmark.py, with @triton.testing.perf_report and print_data=True',
  detect: (artifact) => findTritonTables(artifact).map(({ from, to }) => ({ adapter: id, from, to })),
  read: (artifact, claim, options = {}) => {
    const { found } = findAt(findTritonTables(artifact), claim.from);
    return found === null
      ? { tool: { name: 'triton perf_report', version: null }, results: [], ignored: [], ...noRemarks }
      : readTable(found, options.unit);
  },
};
