import { isLastLine } from '../reading/figures/cut-figure.ts';
import { readCsv } from '../reading/tables/csv.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';

/** One printed table of measurements. Lines are 1-based and inclusive. */
export interface TritonTable {
  from: number;
  to: number;
  /** As printed before the colon; null in CSV, where the file name is the name. */
  name: string | null;
  /** Text after the colon: "Time in ms". */
  remark: string;
  header: number;
  columns: string[];
  rows: { cells: string[]; line: number }[];
  /** True if pandas left columns or rows out, or continued them below. */
  isCut: boolean;
}

const longest = 4000;
const [colon, bracket, blank, ascii] = [0x3a, 0x29, 0x20, 0x7f];
const mostColumns = 200;
/** `name:` alone, or followed by text from its author. */
const nameLine = /^(\S.{0,300}?):[ \t]{0,9}(?:\((.{1,100})\)|)[ \t]*$/;
const firstRow = /^0\s+[-\d.]/;
const row = /^\d{1,7}\s+\S/;

/** Columns of a printed frame, separated by two or more spaces. Names may contain single spaces. */
function toColumns(text: string): string[] | null {
  if (text.length > longest || !/^\s/.test(text)) return null;
  const columns = text
    .replace(/\\\s*$/, '')
    .trim()
    .split(/\s{2,}/);
  const isNumber = columns.every((column) => /^[-\d.]+$/.test(column));
  return columns.length < 2 || columns.length > mostColumns || isNumber ? null : columns;
}

const decimalsOf = (cell: string | undefined) => /^-?\d+\.(\d+)$/.exec(cell ?? '')?.[1]?.length ?? 0;

/** Drops the last number if it may be cut: pandas prints all numbers of a column with the same decimals, and at least one. */
function dropCut(artifact: ArtifactText, { to, rows }: TritonTable): void {
  const [cells = [], above] = [rows.at(-1)?.cells, rows.at(-2)?.cells];
  const number = cells.at(-1);
  if (number === undefined || !/^-?[\d.]+$/.test(number) || !isLastLine(artifact, to)) return;
  if (decimalsOf(number) < Math.max(1, decimalsOf(above?.[cells.length - 1]))) cells.pop();
}

function readFrame(artifact: ArtifactText, line: number, name: string, remark: string): TritonTable | null {
  const header = line + 1;
  const columns = toColumns(artifact.lineAt(header));
  if (columns === null || !firstRow.test(artifact.lineAt(header + 1).slice(0, longest))) return null;
  const table: TritonTable = { from: line, to: header, name, remark, header, columns, rows: [], isCut: false };
  if (/\\\s*$/.test(artifact.lineAt(header)) || columns.includes('...')) table.isCut = true;
  for (let at = header + 1; ; at++) {
    const text = artifact.lineAt(at).trim();
    if (/^\.\.(?:\.?)(?:\s|$)/.test(text)) table.isCut = true;
    else if (!row.test(text) || text.length > longest) break;
    else table.rows.push({ cells: text.split(/\s+/).slice(1), line: at });
    table.to = at;
  }
  dropCut(artifact, table);
  return table;
}

/** Columns with a unit after their names, as the tool writes them since late 2025. */
const withUnit = /^.{1,100} \((?:TFLOPS|TFLOP\/s|GB\/s|ms|us)\)$/i;
/** Terms of serving benchmarks, which people tabulate under similar headers. */
const ofServing = /\b(?:TTFT|TPOT|ITL|E2EL?|latency|throughput|tokens?|requests?|concurrency)\b/i;

function readTable(artifact: ArtifactText, line: number): TritonTable | null {
  const text = artifact.lineAt(line);
  if (text.length > longest || !/^[A-Z][A-Z0-9_]*,.*\)\s*$/.test(text)) return null;
  const [first, ...records] = readCsv(artifact, line, (next) => !/^[-\d.]/.test(next));
  const columns = (first?.cells ?? []).map((cell) => cell.trim());
  const lead = columns.findIndex((column) => !/^[A-Z][A-Z0-9_]*$/.test(column));
  const providers = columns.slice(lead);
  if (lead < 1 || !providers.every((column) => withUnit.test(column)) || records.length === 0) return null;
  if (columns.some((column) => ofServing.test(column))) return null;
  const rows = records.map(({ cells, line: at }) => ({ cells: cells.map((cell) => cell.trim()), line: at }));
  const to = records.at(-1)?.to ?? line;
  return { from: line, to, name: null, remark: '', header: line, columns, rows, isCut: false };
}

/** Whether the line may be a name or a header, judged by its last character. Rules out most lines. */
function mayBegin(text: string): boolean {
  let end = text.length - 1;
  while (text.charCodeAt(end) <= blank) end--;
  const last = text.charCodeAt(end);
  return last === colon || last === bracket || last > ascii;
}

/** All tables in order: a name with a printed frame below it, or CSV whose columns state their unit. */
export const findTritonTables = cachedPerArtifact((artifact): TritonTable[] => {
  const tables: TritonTable[] = [];
  for (let line = 1; line <= artifact.lines.length; line++) {
    const text = artifact.lineAt(line);
    if (!mayBegin(text)) continue;
    const named = text.length <= 420 && text.includes(':') ? nameLine.exec(text) : null;
    const table =
      named === null ? readTable(artifact, line) : readFrame(artifact, line, named[1] ?? '', named[2]?.trim() ?? '');
    if (table === null) continue;
    tables.push(table);
    line = table.to;
  }
  return tables;
});
