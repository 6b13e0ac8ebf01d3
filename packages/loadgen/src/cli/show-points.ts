import { formatLoad } from '@inferboard/core/load';
import type { Counts } from '../measure/measure-load.ts';
import { failedOf, type LatencySummary } from '../measure/summarise-load.ts';
import type { MeasuredPoint } from '../points/measure-point.ts';

type Column = readonly [title: string, of: (point: MeasuredPoint) => string];

const number = (value: number | null | undefined, digits: number) => (value == null ? '-' : value.toFixed(digits));
const pair = (latency: LatencySummary | null, digits: number) =>
  latency === null ? '-' : `${number(latency.p50, digits)} / ${number(latency.p99, digits)}`;

const columns: readonly Column[] = [
  ['scenario', ({ point }) => point.scenario.id],
  ['load', ({ point }) => formatLoad(point.load)],
  ['ok', ({ summary }) => String(summary.by_outcome.ok)],
  ['failed', ({ summary }) => String(failedOf(summary))],
  ['TTFT p50 / p99 ms', ({ summary }) => pair(summary.latencies.ttft_from_sent, 1)],
  ['ITL p50 / p99 ms', ({ summary }) => pair(summary.latencies.itl_per_chunk, 2)],
  ['TPOT mean ms', ({ summary }) => number(summary.latencies.tpot_per_token?.mean, 2)],
  ['E2E p50 / p99 ms', ({ summary }) => pair(summary.latencies.e2e_from_sent, 0)],
  ['output tok/s', ({ summary }) => number(summary.throughput?.output_tok_s, 1)],
];

/** All points as a table, numbers to the right. */
export function formatTable(points: readonly MeasuredPoint[]): string {
  const rows = [columns.map(([title]) => title), ...points.map((point) => columns.map(([, of]) => of(point)))];
  const widths = columns.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows
    .map((row) =>
      row.map((cell, at) => (at < 2 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join('  '),
    )
    .map((line) => line.trimEnd())
    .join('\n');
}

const barWidth = 24;

/** One line of progress over all requests of a run. */
export function formatProgress(done: number, total: number, counts: Counts | null, seconds: number): string {
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const filled = Math.round(barWidth * share);
  const left = share > 0 && share < 1 ? `, ${Math.ceil((seconds * (1 - share)) / share)} s left` : '';
  const failed = counts !== null && counts.failed > 0 ? `, ${counts.failed} failed` : '';
  return `[${'#'.repeat(filled)}${'.'.repeat(barWidth - filled)}] ${done} of ${total} requests${failed}${left}`;
}
