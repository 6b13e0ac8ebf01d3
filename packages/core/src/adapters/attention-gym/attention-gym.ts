import type { Fault } from '../../errors.ts';
import type { MetricName } from '../../metrics/index.ts';
import { unspecifiedLoad } from '../../subjects/load.ts';
import type { KernelWork } from '../../subjects/scenario.ts';
import { type Adapter, noFacts, noRemarks, noResult, noScenario, type ParsedResult } from '../adapter.ts';
import { ArtifactError, maxFaults, maxResults, tooManyResults } from '../errors.ts';
import { isMissing, parseNumber, shiftDecimal } from '../reading/figures/numbers.ts';
import { toCells } from '../reading/tables/pipe-table.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { findAt } from '../reading/text/by-line.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';

const columns: Record<string, MetricName> = {
  'FW Time (ms)': 'forward_ms',
  'FW FLOPS (TF/s)': 'forward_tflop_s',
  'BW Time (ms)': 'backward_ms',
  'BW FLOPS (TF/s)': 'backward_tflop_s',
};
/** Longest name of an operation. */
const maxOperation = 200;
const gridRule = /^\s*\+[-=+]{10,400}\+\s*$/;
const boxTop = /^\s*╔═{10,200}╗\s*$/;
const boxTitle = /^\s*║(.{1,200})║\s*$/;
const blockMask = /^\s*BlockMask\(shape=\((\d[\d, ]{0,80}?),?\), sparsity=(\d{1,3}(?:\.\d{1,4})?)%/;
const inTitle = /\bB=(\d{1,9}), H=(\d{1,9}), S=(\d{1,9})/;

/** One case of the benchmark. It begins at its title box, or at its table if it has no box. Lines are inclusive. */
interface Case {
  from: number;
  to: number;
  title: string | null;
  /** Line of the header row; null if the case has no table. */
  header: number | null;
}

function isHeader(text: string): boolean {
  if (!text.includes('FW Time (ms)')) return false;
  const cells = toCells(text);
  return cells?.[0] === 'Operation' && cells.includes('FW Time (ms)');
}

/** All cases in order. A box alone is not claimed, because other programs draw boxes too. */
const findCases = cachedPerArtifact((artifact): Case[] => {
  const cases: Case[] = [];
  for (const line of artifact.linesWith('╔═', 'FW Time (ms)')) {
    const text = artifact.lineAt(line);
    if (boxTop.test(text)) {
      const title = boxTitle.exec(artifact.lineAt(line + 1))?.[1]?.trim();
      if (title !== undefined) cases.push({ from: line, to: line, title, header: null });
    } else if (isHeader(text)) {
      const open = cases.at(-1);
      if (open !== undefined && open.header === null) open.header = line;
      else cases.push({ from: line, to: line, title: null, header: line });
    }
  }
  const limits = cases.map((_, index) => (cases[index + 1]?.from ?? artifact.lines.length + 1) - 1);
  for (const [index, found] of cases.entries()) found.to = endOfCase(artifact, found, limits[index] ?? found.from);
  const isCase = (found: Case, index: number) =>
    found.header !== null || lostTable(artifact, found, limits[index] ?? 0);
  const ours = cases.some((found) => found.header !== null) ? cases.filter(isCase) : [];
  return ours;
});

const failure = /correctness.{0,40}fail|AssertionError|Traceback|Error:|❌/i;

/** Whether a box without a table is a failed or truncated case. People also draw boxes around titles in their logs. */
function lostTable(artifact: ArtifactText, { from }: Case, limit: number): boolean {
  const after = artifact.lines.slice(Math.min(from + 2, limit), limit);
  const isEnd = limit === artifact.lines.length && after.every((text) => text.trim() === '');
  return isEnd || after.some((text) => failure.test(text));
}

/** Last line of a case: the end of its table, or of its block mask if one precedes `limit`. */
function endOfCase(artifact: ArtifactText, found: Case, limit: number): number {
  if (found.header === null) return Math.min(found.from + 2, limit);
  let line = found.header;
  while (line < limit && (gridRule.test(artifact.lineAt(line + 1)) || toCells(artifact.lineAt(line + 1)) !== null))
    line++;
  for (let mask = line + 1; mask <= Math.min(line + 4, limit); mask++) {
    if (blockMask.test(artifact.lineAt(mask)) || artifact.lineAt(mask).trim() === 'None') return mask;
  }
  return line;
}

/** B, H and S of the tensors, if the title states them. */
const titledShape = ({ title }: Case): number[] | null =>
  inTitle
    .exec(title ?? '')
    ?.slice(1)
    .map(Number) ?? null;

/** The shape of the block mask, which is not that of the tensors; without a mask, the shape in the title. */
function readShape(artifact: ArtifactText, found: Case): Pick<KernelWork, 'shape' | 'sparsity'> {
  const mask = blockMask.exec(artifact.lineAt(found.to));
  if (mask === null) return { shape: titledShape(found), sparsity: null };
  const shape = (mask[1] ?? '').split(',').map(Number);
  return { shape, sparsity: shiftDecimal(Number(mask[2]), -2) };
}

const causalTitle = /^causal\b/i;

/**
 * The other function that a row computes; null if it computes the function of its case. "causal FA2" always runs plain causal
 * attention. "F.sdpa + mask" does not apply score functions, for which the script skips its correctness check.
 */
function referenceOf(operation: string, { title }: Case, isChecked: boolean): string | null {
  if (causalTitle.test(title ?? '')) return null;
  if (operation === 'causal FA2') return 'causal reference, another function';
  return operation === 'F.sdpa + mask' && !isChecked ? 'reference without the score function' : null;
}

/** The work of a row. A row that computes another function gets a separate case, so that it does not rank with the others. */
function workOf(operation: string, found: Case, shape: Pick<KernelWork, 'shape' | 'sparsity'>, isChecked: boolean) {
  const title = found.title ?? 'without a title';
  const reference = referenceOf(operation, found, isChecked);
  if (reference === null) return { operation, case: title, ...shape };
  return { operation, case: `${title} (${reference})`, shape: titledShape(found), sparsity: null };
}

function readMetrics(
  header: readonly string[],
  cells: readonly string[],
  line: number,
  faults: Fault[],
): Map<MetricName, number> {
  const metrics = new Map<MetricName, number>();
  for (const [index, column] of header.entries()) {
    const name = Object.hasOwn(columns, column) ? columns[column] : undefined;
    const text = cells[index] ?? '';
    if (name === undefined || isMissing(text)) continue;
    const number = parseNumber(text);
    if (number === null || number <= 0) {
      const message = `"${text.slice(0, 40)}" in column ${column} is not a number above 0.`;
      faults.push({ code: 'cell_unreadable', line, message });
    } else metrics.set(name, number);
  }
  return metrics;
}

function toResult(
  operation: string,
  kernel: KernelWork,
  metrics: Map<MetricName, number>,
  { line, batch, isChecked }: { line: number; batch: number | null; isChecked: boolean },
): ParsedResult {
  return {
    ...noResult,
    kind: 'kernel',
    system: { ...noFacts, engine: { value: operation, origin: 'stated' } },
    scenario: { ...noScenario, kernel },
    load: batch === null ? unspecifiedLoad : { mode: 'batch', level: batch },
    metrics: Object.fromEntries(metrics),
    extra: isChecked ? { correctness_checked: true } : {},
    lines: { from: line, to: line },
  };
}

function readCase(artifact: ArtifactText, found: Case): { results: ParsedResult[]; ignored: string[] } {
  const title = found.title ?? 'without a title';
  if (found.header === null) {
    const message = `The case "${title}" on line ${found.from} has no table: its correctness check failed, or the output was cut.`;
    throw new ArtifactError([
      { code: 'case_failed', line: found.from, message, hint: 'Remove the case, or run it again.' },
    ]);
  }
  const faults: Fault[] = [];
  const between = artifact.lines.slice(found.from, found.header);
  const failed = between.findIndex((text) => failure.test(text));
  if (failed >= 0) {
    const message = `The correctness check of the case "${title}" failed: its times are not valid.`;
    faults.push({
      code: 'case_failed',
      line: found.from + failed + 1,
      message,
      hint: 'Remove the case, or run it again.',
    });
  }
  const header = toCells(artifact.lineAt(found.header)) ?? [];
  const shape = readShape(artifact, found);
  const batch = titledShape(found)?.[0] ?? null;
  const isChecked = between.some((text) => text.includes('Correctness check passed'));
  const results: ParsedResult[] = [];
  for (let line = found.header + 1; line <= found.to && faults.length < maxFaults; line++) {
    if (results.length > maxResults) throw tooManyResults(found.header);
    const cells = toCells(artifact.lineAt(line));
    if (cells === null || gridRule.test(artifact.lineAt(line))) continue;
    if (cells.length !== header.length) {
      const message = `The row on line ${line} has ${cells.length} cells, its header has ${header.length}.`;
      faults.push({ code: 'row_unreadable', line, message });
      continue;
    }
    const operation = cells[0] ?? '';
    const metrics = readMetrics(header, cells, line, faults);
    if (operation === '' || operation.length > maxOperation || metrics.size === 0) {
      const problem = operation.length > maxOperation ? 'too long an operation' : 'no operation or no figure';
      faults.push({ code: 'row_unreadable', line, message: `The row on line ${line} has ${problem}.` });
      continue;
    }
    const work = workOf(operation, found, shape, isChecked);
    results.push(toResult(operation, work, metrics, { line, batch, isChecked }));
  }
  if (results.length === 0 && faults.length === 0) {
    faults.push({ code: 'table_empty', line: found.header, message: `The table on line ${found.header} has no rows.` });
  }
  if (faults.length > 0) throw new ArtifactError(faults);
  return { results, ignored: header.slice(1).filter((column) => !Object.hasOwn(columns, column)) };
}

/**
 * The console output of attention-gym's benchmark: a boxed title, a grid and a block mask per case. Each row is a separate
 * result. Rates count only unmasked work, so they compare within an operation, not between rows. The output does not state the
 * batch, unless the title does.
 *
 * Written by https://github.com/meta-pytorch/attention-gym/blob/main/examples/benchmark.py (`test_mask`).
 */
export const attentionGym: Adapter = {
  id: 'attention-gym',
  title: 'attention-gym benchmark',
  kind: 'kernel',
  recognises: 'a grid with the columns Operation and FW Time (ms)',
  command: 'python examples/benchmark.py | tee result.txt',
  detect: (artifact) => findCases(artifact).map(({ from, to }) => ({ adapter: 'attention-gym', from, to })),
  read: (artifact, claim) => {
    const { found } = findAt(findCases(artifact), claim.from);
    const { results, ignored } = found === null ? { results: [], ignored: [] } : readCase(artifact, found);
    return { tool: { name: 'attention-gym', version: null }, results, ignored, ...noRemarks };
  },
};
