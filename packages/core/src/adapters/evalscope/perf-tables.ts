import type { Fault } from '../../errors.ts';
import { type CommandLine, findCommand } from '../reading/context/command-line.ts';
import { parseNumber } from '../reading/figures/numbers.ts';
import { gridEnd, gridRule, piped, readGrid } from '../reading/tables/grid.ts';
import { readRow } from '../reading/tables/pipe-table.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { type PercentileCell, readTextSummary, type SummaryRow, textOpener, withUnit } from './perf-text.ts';

/** The output of one run. Lines are 1-based and inclusive. */
export interface PerfTables {
  from: number;
  to: number;
  rows: SummaryRow[];
  cells: PercentileCell[];
  /** The command before it; null if there is none. */
  command: CommandLine | null;
  /** The folder of the results, named after the model. */
  folder: string | null;
  /** The model that a report names; missing in a summary. */
  model?: string | null;
  /** Digits after the point of the mean token counts, if they are fewer than in a summary. */
  digits?: number;
  /** Percent of the requests that succeeded, if a report states it. */
  success?: number | null;
  faults: Fault[];
}

/** Labels of the first row: in 2024, before 2026 and since. */
const openers = ['Time taken for tests (senconds)', 'Time taken for tests (s)', 'Test Duration (s)'];
const percentileLabel = /^(?:\d{1,2}(?:\.\d{1,2})?%|min|max)$/;
/** Lines between a summary and its percentiles: a blank line, or the start of a log line. */
const maxGap = 4;

/** The first line of a summary: its title, or the top of its grid. */
function startOf(artifact: ArtifactText, line: number): number {
  let from = line;
  const isAbove = (text: string) => gridRule.test(text) || /^\s*[|│]\s*(?:Key|key|Metric|──)/.test(text);
  while (from > Math.max(1, line - 8) && isAbove(artifact.lineAt(from - 1))) from--;
  return /Benchmarking summary:\s*$/.test(artifact.lineAt(from - 1)) ? from - 1 : from;
}

/** Figures of a table of percentiles, in either orientation. Null if there is no such table. */
function readPercentiles(
  artifact: ArtifactText,
  after: number,
  faults: Fault[],
): { cells: PercentileCell[]; to: number } | null {
  const lineAt = piped(artifact);
  let line = after + 1;
  while (line <= after + maxGap && !/Percentile results:\s*$/.test(artifact.lineAt(line))) line++;
  if (line > after + maxGap) return null;
  line++;
  while (gridRule.test(artifact.lineAt(line))) line++;
  const header = readRow(lineAt, line, (cells) => /^(?:Percentiles?|Metric)$/.test(cells[0] ?? '') && cells.length > 1);
  if (header === null) return null;
  const [corner, ...names] = header.cells;
  const rows = readGrid(artifact, header.to + 1, header.cells.length, faults);
  const cells = rows.flatMap(({ cells: [first = '', ...values], line: at }) =>
    values.map((value, index) => {
      const name = names[index] ?? '';
      const [percentile, label] = corner === 'Metric' ? [name, first] : [first, name];
      return { line: at, label: withUnit(label), percentile, value };
    }),
  );
  return {
    cells: cells.filter(({ percentile }) => percentileLabel.test(percentile)),
    to: gridEnd(artifact, rows, header.to),
  };
}

const isProgram = ([word = '', next]: readonly string[]) => /(?:^|\/)evalscope$/.test(word) && next === 'perf';

/** The command that starts at a line; null if there is none. */
export const findPerfCommand = (artifact: ArtifactText, line: number) => findCommand(artifact, line, isProgram);

/** The model's folder in a path below `outputs`, which begins with the time of the run; null for any other text. */
export function folderOf(text: string): string | null {
  return /\boutputs?\/\d{8}_\d{6}\/([^/\s|]{1,200})(?:[/\s|]|$)/.exec(text)?.[1] ?? null;
}

/**
 * All summaries in an artifact, with the percentiles that follow. A table that describes the figures contains words and no
 * numbers.
 */
export const findPerfTables = cachedPerArtifact((artifact): PerfTables[] => {
  const found: PerfTables[] = [];
  const words = [textOpener, ...openers].filter((opener) => artifact.has(opener));
  let command: CommandLine | null = null;
  let folder: string | null = null;
  let after = 0;
  for (const line of words.length === 0 ? [] : artifact.linesWith('evalscope', 'output', ...words)) {
    const text = artifact.lineAt(line);
    if (line <= after || text.length > 1000) continue;
    const next = text.includes('evalscope') ? findPerfCommand(artifact, line) : null;
    if (next !== null) {
      command = next;
      folder = null;
      after = next.to;
      continue;
    }
    if (text.includes('output')) folder = folderOf(text) ?? folder;
    if (!words.some((word) => text.includes(word))) continue;
    const faults: Fault[] = [];
    const plain = readTextSummary(artifact, line);
    if (plain !== null) {
      if (plain.rows.length < 2) continue;
      found.push({ from: startOf(artifact, line), ...plain, command, folder, faults });
      after = plain.to;
      continue;
    }
    const grid = readGrid(artifact, line, 2, faults);
    const rows = grid.map(({ cells: [label = '', value = ''], line: at }) => ({
      line: at,
      label: withUnit(label),
      value,
    }));
    const [first, second] = rows;
    if (first === undefined || second === undefined || !openers.includes(first.label)) continue;
    if (parseNumber(first.value) === null) continue;
    const from = Math.max(startOf(artifact, line), (found.at(-1)?.to ?? 0) + 1);
    const to = gridEnd(artifact, grid, line);
    const percentiles = readPercentiles(artifact, to, faults);
    found.push({ from, to: percentiles?.to ?? to, rows, cells: percentiles?.cells ?? [], command, folder, faults });
    after = percentiles?.to ?? to;
  }
  return found;
});
