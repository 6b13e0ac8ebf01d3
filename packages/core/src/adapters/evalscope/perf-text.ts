import type { ArtifactText } from '../reading/text/artifact-text.ts';

/** A row of the summary. */
export interface SummaryRow {
  line: number;
  label: string;
  value: string;
}

/** A figure in the table of percentiles: `TTFT (s)` at `99%`. */
export interface PercentileCell extends SummaryRow {
  percentile: string;
}

/** The first line of a summary without a grid, before evalscope 0.7. */
export const textOpener = 'Time taken for tests: ';

const openerLine = /^\s{0,8}Time taken for tests: (\d{1,12}\.\d{3}) seconds\s*$/;
const countLine = /^\s{0,8}([A-Z][a-z ]{1,30} requests|Number of concurrency): (\d{1,12}|None)\s*$/;
/** Numbers have three or five decimals. Fewer are the start of a number. */
const figureLine = /^\s{0,8}((?:Average|Throughput)[A-Za-z ()]{1,60}): (-?\d{1,12}\.\d{3}(?:\d\d)?)\s*$/;
const groupLine = /^\s{0,8}Percentile of (time to first token|request latency):\s*$/;
const percentileLine = /^\s{1,12}p(\d{1,2}): (\d{1,12}\.\d{4}|inf)\s*$/;

/** Labels of the layouts of 2024 that lack their unit. These times are in seconds. */
const seconds: Record<string, string> = {
  'time taken for tests (senconds)': 'Time taken for tests (s)',
  'average latency': 'Average latency (s)',
  'average time to first token': 'Average time to first token (s)',
  'first chunk latency': 'Time to first token (s)',
  latency: 'Latency (s)',
};

/** The label with its unit, as later versions print it. */
export const withUnit = (label: string): string => seconds[label.toLowerCase()] ?? label;

/** The lines of a summary without a grid; null if none begins at this line. */
export function readTextSummary(
  artifact: ArtifactText,
  from: number,
): { rows: SummaryRow[]; cells: PercentileCell[]; to: number } | null {
  const duration = openerLine.exec(artifact.lineAt(from))?.[1];
  if (duration === undefined) return null;
  const rows: SummaryRow[] = [{ line: from, label: 'Time taken for tests (s)', value: duration }];
  const cells: PercentileCell[] = [];
  let group: string | null = null;
  let line = from + 1;
  for (; ; line++) {
    const text = artifact.lineAt(line);
    if (text.length > 200) break;
    const [, name] = groupLine.exec(text) ?? [];
    const [, percent, value] = percentileLine.exec(text) ?? [];
    const [, label, figure] = figureLine.exec(text) ?? countLine.exec(text) ?? [];
    if (name !== undefined) group = name === 'request latency' ? 'Latency (s)' : 'Time to first token (s)';
    else if (group !== null && percent !== undefined && value !== undefined)
      cells.push({ line, label: group, percentile: `${percent}%`, value: value === 'inf' ? '' : value });
    else if (label !== undefined && figure !== undefined) rows.push({ line, label: withUnit(label), value: figure });
    else if (text.trim() !== 'Too little data to calculate quantiles!') break;
  }
  return { rows, cells, to: line - 1 };
}
