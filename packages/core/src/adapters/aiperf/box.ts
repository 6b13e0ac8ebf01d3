import type { Fault } from '../../errors.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { parseLabel, type Statistic } from './figures.ts';
import { toValues } from './table.ts';

/** The box printed by one run. Lines are 1-based and inclusive. */
export interface PerfBox {
  from: number;
  to: number;
  program: 'genai-perf' | 'aiperf';
  /** The line above the box; null if there is none. */
  title: string | null;
  statistics: Statistic[];
  faults: Fault[];
}

const longest = 1000;
/** Most lines that a terminal wraps one row to, with some margin. */
const maxWrap = 4;

const split = (text: string, border: string) =>
  text
    .split(border)
    .slice(1, -1)
    .map((cell) => cell.trim());

/** Columns of the line if it is the header of a box. */
function toHeader(text: string): string[] | null {
  if (text.length > longest || !text.includes('┃')) return null;
  const cells = split(text.trim(), '┃');
  return (cells[0] === 'Statistic' || cells[0] === 'Metric') && cells[1] === 'avg' ? cells : null;
}

function findTitle(artifact: ArtifactText, header: number): { title: string | null; line: number } {
  for (let line = header - 1; line >= Math.max(1, header - 3); line--) {
    const text = artifact.lineAt(line).trim();
    if (/\bMetrics$/.test(text) && text.length < 300) return { title: text, line };
  }
  const hasTop = artifact.lineAt(header - 1).includes('┏');
  return { title: null, line: hasTop ? header - 1 : header };
}

/** An arrow that a user drew before a figure (`--->  1,764.61`) or after one (`1,764.61 <-- here`). */
const arrowBefore = /^(?:[-=]{1,20}>|→|➜)\s*(?=\d)/;
const arrowAfter = /(?<=\d)\s*(?:<[-=]{1,20}|←).{0,80}$/;
/** A remark that a user added behind the box. */
const remark = /│\s*(?:<[-=]{1,20}|←|#|\/\/)[^│]{0,200}$/;

/** The row that begins on a line, joined with the pieces that a narrow terminal wrapped. */
function readRow(artifact: ArtifactText, line: number, cells: number): { cells: string[]; to: number } | null {
  let text = artifact.lineAt(line).trim().replace(remark, '│');
  if (!text.startsWith('│') || text.length > longest) return null;
  let to = line;
  while (!(text.endsWith('│') && split(text, '│').length >= cells) && to < line + maxWrap) {
    const next = artifact.lineAt(to + 1).trimEnd();
    if (next === '' || /^\s*[│├└┏┗]/.test(next)) break;
    text += next;
    to++;
  }
  return { cells: text.endsWith('│') ? split(text, '│') : text.split('│').slice(1), to };
}

function readRows(artifact: ArtifactText, header: number, names: readonly string[], box: PerfBox): void {
  const columns = names.slice(1);
  if (new Set(columns).size < columns.length) {
    const message = `The header on line ${header} names a column twice, or its names were cut.`;
    box.faults.push({ code: 'table_unreadable', line: header, message });
  }
  let line = header + 1;
  if (/^\s*[┡┣├]/.test(artifact.lineAt(line))) line++;
  const labels: { text: string; cells: string[]; line: number }[] = [];
  for (; ; line++) {
    const row = readRow(artifact, line, names.length);
    if (row === null) break;
    box.to = row.to;
    const [label = '', ...rest] = row.cells;
    const cells = rest.map((cell) => cell.replace(arrowBefore, '').replace(arrowAfter, ''));
    const last = labels.at(-1);
    if (row.cells.length !== names.length) {
      const message = `The row on line ${line} has ${row.cells.length} cells, its header has ${names.length}.`;
      const hint = `Copy the whole box of ${box.program}, or send its CSV or JSON file.`;
      box.faults.push({ code: 'row_unreadable', line, message, hint });
    } else if (last !== undefined && cells.every((cell) => cell === '')) last.text += ` ${label}`;
    else labels.push({ text: label, cells, line });
    line = row.to;
  }
  if (/^\s*[└┗]/.test(artifact.lineAt(line))) box.to = line;
  for (const { text, cells, line: at } of labels) {
    const values = toValues(columns, cells, text, at, box.faults);
    box.statistics.push({ ...parseLabel(text), values, line: at, name: text });
  }
}

/**
 * All boxes of run figures that one of the two programs printed. GenAI-Perf's first column is "Statistic", AIPerf's is
 * "Metric". A title that names the program takes precedence. Their other boxes (GPUs, errors, embeddings) are not claimed.
 */
export const findPerfBoxes = cachedPerArtifact((artifact): PerfBox[] => {
  const boxes: PerfBox[] = [];
  for (const header of artifact.linesWith('┃')) {
    const names = header > (boxes.at(-1)?.to ?? 0) ? toHeader(artifact.lineAt(header)) : null;
    if (names === null) continue;
    const { title, line } = findTitle(artifact, header);
    if (title !== null && !title.endsWith('LLM Metrics')) continue;
    const own = names[0] === 'Statistic' ? 'genai-perf' : 'aiperf';
    const program = /\bAIPerf\b/.test(title ?? '') ? 'aiperf' : /\bGenAI-Perf\b/.test(title ?? '') ? 'genai-perf' : own;
    const box: PerfBox = { from: line, to: header, program, title, statistics: [], faults: [] };
    readRows(artifact, header, names, box);
    boxes.push(box);
  }
  return boxes;
});
