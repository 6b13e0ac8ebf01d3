import type { MetricName } from '../../metrics/index.ts';
import type { ReaderNote } from '../adapter.ts';
import { checkMeasured } from '../reading/figures/block-figures.ts';
import { isMissing, parseNumber, shiftDecimal } from '../reading/figures/numbers.ts';
import { noFigures } from '../reading/figures/report-figures.ts';
import type { ReadOne } from '../reading/tables/read-each.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { toResult } from './to-result.ts';

/** The printed summary of one run. Lines are 1-based and inclusive. */
export interface Summary {
  from: number;
  to: number;
  rows: Map<string, { line: number; values: readonly string[] }>;
}

/** The metrics of a row by column. An empty list is a column that is ignored. */
interface Meaning {
  unit: '' | 's' | 'ms' | 'tok/s' | 'req/s' | 'GB';
  columns: readonly (readonly MetricName[])[];
}

const meanings: Record<string, Meaning> = {
  'Total Runs': { unit: '', columns: [['requests_ok']] },
  'Input Tokens': { unit: '', columns: [['input_tokens']] },
  'Output Tokens': { unit: '', columns: [['output_tokens']] },
  'Total Time': { unit: 's', columns: [['duration_s']] },
  // The second column is the 95th percentile of a time to the first token and of a latency, and else the maximum.
  'TTFT (Time to First Token)': { unit: 'ms', columns: [['ttft_ms_mean'], ['ttft_ms_p95']] },
  'TPOT (Time Per Output Token)': { unit: 'ms', columns: [['tpot_ms_mean'], ['tpot_ms_max']] },
  'Generation Speed': { unit: 'tok/s', columns: [['decode_tok_s', 'user_tok_s'], []] },
  'Processing Speed': { unit: 'tok/s', columns: [['prefill_tok_s'], []] },
  'Latency (per request)': { unit: 's', columns: [['e2e_ms_mean'], ['e2e_ms_p95']] },
  'Total Throughput': { unit: 'tok/s', columns: [['total_tok_s']] },
  'Requests/Second': { unit: 'req/s', columns: [['req_s']] },
};
const peakMemory = 'MLX Peak Memory';
const ignoredRows = ['Process Memory (peak)', 'MLX Cache Memory', 'System Memory'];
const labels = new Set(['Model', 'Hardware', ...Object.keys(meanings), peakMemory, ...ignoredRows]);

/** The label and the values of a row, which two spaces separate. */
function toRow(text: string): { label: string; values: string[] } | null {
  const [label = '', ...values] = text.slice(0, 300).trim().split(/ {2,}/);
  return labels.has(label) && values.length > 0 ? { label, values } : null;
}

/** Most lines between the model and the first metric, and of a summary, with some margin. */
const above = 16;
const longest = 40;

function readSummary(artifact: ArtifactText, from: number): Summary {
  const summary: Summary = { from, to: from, rows: new Map() };
  for (let line = from; line < from + longest && line <= artifact.lines.length; line++) {
    const row = toRow(artifact.lineAt(line));
    if (row === null) {
      if (/^\s*={10}/.test(artifact.lineAt(line))) break;
      continue;
    }
    if (summary.rows.has(row.label)) break;
    summary.rows.set(row.label, { line, values: row.values });
    summary.to = line;
  }
  return summary;
}

/** All summaries in order of appearance. */
export const findSummaries = cachedPerArtifact((artifact): Summary[] => {
  const summaries: Summary[] = [];
  for (const line of artifact.linesWith('TTFT (Time to First Token)  ')) {
    const last = summaries.at(-1)?.to ?? 0;
    let from = line;
    while (from > last && from > line - above && toRow(artifact.lineAt(from))?.label !== 'Model') from--;
    if (from <= last || from <= line - above) continue;
    const summary = readSummary(artifact, from);
    if (summary.rows.has('Total Runs') && summary.to >= line) summaries.push(summary);
  }
  return summaries;
});

const withoutUnit = (text: string, unit: string) =>
  text.endsWith(unit) ? parseNumber(text.slice(0, text.length - unit.length)) : null;

export function readSummaryRows({ from, to, rows }: Summary): ReadOne {
  const figures = noFigures(from);
  const read = (label: string, column: number, unit: string): number | null => {
    const row = rows.get(label);
    const text = row?.values[column] ?? '';
    const number = withoutUnit(text, unit);
    if (row !== undefined && !isMissing(text) && (number === null || number < 0)) {
      const message = `"${label}" cannot be "${text.slice(0, 60)}".`;
      figures.faults.push({ code: 'value_unreadable', line: row.line, message });
    }
    return number;
  };
  for (const [label, { unit, columns }] of Object.entries(meanings))
    for (const [column, names] of columns.entries()) {
      const number = names.length === 0 ? null : read(label, column, unit);
      // The tool prints 0 for unmeasured values.
      if (number === null || (number === 0 && label !== 'Total Runs')) continue;
      for (const name of names) figures.metrics.set(name, name.startsWith('e2e_ms') ? shiftDecimal(number, 3) : number);
    }
  const peak = read(peakMemory, 0, 'GB');
  if (figures.faults.length === 0) checkMeasured(figures.metrics, from, figures.metrics.get('requests_ok') ?? null);
  const textOf = (label: string) => rows.get(label)?.values[0] ?? null;
  const result = toResult(
    figures,
    {
      model: textOf('Model'),
      chip: textOf('Hardware')?.replace(/ \([\d.]{1,8} GB\)$/, '') ?? null,
      peakGb: peak === 0 ? null : peak,
    },
    { from, to },
  );
  const message = 'The output ends before its last rate: the paste was cut, and figures are missing.';
  const cut: ReaderNote = { code: 'truncated', severity: 'info', message, evidence: { from, to } };
  return {
    result: rows.has('Requests/Second') ? result : { ...result, notes: [cut] },
    ignored: ignoredRows.filter((label) => rows.has(label)),
    faults: figures.faults,
  };
}
