import { formatLoad } from '@inferboard/core/load';
import type { Counts } from '../measure/measure-load.ts';
import type { LatencySummary, LoadSummary } from '../measure/summarise-load.ts';
import type { MeasuredPoint } from '../points/measure-point.ts';

type Column = readonly [title: string, of: (point: MeasuredPoint) => string];

const number = (value: number | null | undefined, digits: number) => (value == null ? '-' : value.toFixed(digits));
const pair = (latency: LatencySummary | null, digits: number) =>
  latency === null ? '-' : `${number(latency.p50, digits)} / ${number(latency.p99, digits)}`;
const failedOf = ({ requests, by_outcome }: LoadSummary) => requests - by_outcome.ok;

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

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;

/** What has to be said beside the figures of a point: what was not as asked, and what limits their exactness. */
export function doubtsOf({ point, summary, record, prompt }: MeasuredPoint): string[] {
  const { shortfall, stalls, cache, arrival, chunks_per_token: chunks, lost, by_outcome } = summary;
  const kinds = Object.entries(by_outcome).filter(([outcome, count]) => outcome !== 'ok' && count > 0);
  const doubts = [
    kinds.length > 0 &&
      `${lost.requests + by_outcome.dropped} of ${summary.requests} requests are not ok (${kinds.map(([kind, count]) => `${count} ${kind}`).join(', ')}); they are in no latency`,
    prompt.offBy !== 0 && `prompts have ${prompt.inputTokens + prompt.offBy} tokens, asked were ${prompt.inputTokens}`,
    shortfall !== null && shortfall.share > 0 && `answers are ${percent(shortfall.share)} shorter than asked`,
    summary.token_source === 'chunks' && 'the server counts no tokens: chunks stand for them',
    chunks !== null &&
      Math.abs(chunks - 1) > 0.02 &&
      `a token is ${chunks.toFixed(2)} chunks: ITL is the gap between chunks`,
    stalls !== null && stalls.gaps > 0 && `${stalls.gaps} gaps are longer than ${stalls.factor} medians`,
    cache?.is_suspected && `the server took ${percent(cache.share)} of the prompts from its cache`,
    arrival !== null &&
      !arrival.is_held &&
      `arrivals were late by ${arrival.lateness_ms_p99.toFixed(2)} ms at p99, ${arrival.dropped} dropped`,
    record.self.client_limited && `the load generator itself was at its limit: ${record.self.reasons.join('; ')}`,
  ].filter((doubt) => typeof doubt === 'string');
  return doubts.map((doubt) => `${point.scenario.id}, ${formatLoad(point.load)}: ${doubt}.`);
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
