import { batchBucketMs, type MeterReading } from '../meter.ts';
import type { SelfCheck } from './load-record.ts';
import { percentilesOf } from './percentiles.ts';
import type { RequestTable } from './request-table.ts';

/** Busier than this, a thread may be late for what comes. */
const utilisationMax = 0.7;
/** A batch of reads of up to this share of the gap between chunks; longer ones blur it. */
const batchShareMax = 0.05;
/** A blur below is within what percentiles of gaps are promised to. */
const batchMsLeast = 1;
const lateShareMax = 0.01;
/** A thread that was late by less than this share of the gap between two chunks did not join them. */
const lateGapShare = 0.5;

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const most = (values: readonly number[]) => values.reduce((a, b) => Math.max(a, b), 0);
const percent = (share: number) => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;

/** The length of batch that holds a share of all tokens in no longer ones. */
function batchQuantile(readings: readonly MeterReading[], share: number): number {
  const longest = most(readings.map(({ batchMsMax }) => batchMsMax));
  const buckets = readings[0]?.batchTokens.length ?? 0;
  const tokensOf = (bucket: number) => sum(readings.map(({ batchTokens }) => batchTokens[bucket] ?? 0));
  const wanted = share * sum(Array.from({ length: buckets }, (_, bucket) => tokensOf(bucket)));
  let seen = 0;
  for (let bucket = 0; bucket < buckets; bucket++) {
    seen += tokensOf(bucket);
    if (seen >= wanted) return Math.min(longest, batchBucketMs(bucket));
  }
  return longest;
}

/** From when a request could be sent to when it was, in ms. */
function sendLags({ rows, stamps }: RequestTable): Float64Array {
  const lags = new Float64Array(rows);
  let count = 0;
  for (let row = 0; row < rows; row++) {
    const lag = (stamps.started[row] ?? Number.NaN) - (stamps.ready[row] ?? Number.NaN);
    if (!Number.isNaN(lag)) lags[count++] = Math.max(0, lag);
  }
  return lags.subarray(0, count);
}

/** Reads with tokens, and those with several of one answer. */
function countReads({ rows, counts }: RequestTable): { reads: number; coalesced: number } {
  let [reads, coalesced] = [0, 0];
  for (let row = 0; row < rows; row++) {
    reads += Math.max(0, counts.tokenReads[row] ?? 0);
    coalesced += Math.max(0, counts.coalescedReads[row] ?? 0);
  }
  return { reads, coalesced };
}

/**
 * Reads with several chunks that a thread caused: those while it may have been late by `leastMs` or more, minus
 * those that the server causes, as measured while the thread was on time.
 */
export function lateReads(
  readings: readonly Pick<MeterReading, 'tokens' | 'coalescedReads'>[],
  leastMs: number,
): number {
  const late = { tokens: 0, coalesced: 0 };
  const inTime = { tokens: 0, coalesced: 0 };
  for (const { tokens, coalescedReads } of readings)
    for (const [bucket, count] of tokens.entries()) {
      const counts = batchBucketMs(bucket) >= leastMs ? late : inTime;
      counts.tokens += count;
      counts.coalesced += coalescedReads[bucket] ?? 0;
    }
  const usual = inTime.tokens === 0 ? 0 : inTime.coalesced / inTime.tokens;
  return Math.max(0, late.coalesced - usual * late.tokens);
}

type Measured = Omit<SelfCheck, 'client_limited' | 'reasons'>;

/**
 * Why the figures of a run may be the generator's own, in words with the figures; none if they are not. A busy thread explains
 * late reads, but is no reason without them.
 */
export function findClientLimits(self: Measured): string[] {
  const reasons: string[] = [];
  const { loop_utilisation, batch_ms_p99, read_gap_ms_p50: gap, late_share } = self;
  if (gap !== null && batch_ms_p99 > Math.max(batchMsLeast, batchShareMax * gap))
    reasons.push(
      `reads came in batches of up to ${batch_ms_p99.toFixed(2)} ms (99 % of tokens), more than ${percent(batchShareMax)} of the median gap of ${gap.toFixed(2)} ms`,
    );
  if (late_share > lateShareMax)
    reasons.push(`${percent(late_share)} of reads were late and had more than one chunk of a response`);
  if (reasons.length > 0 && loop_utilisation > utilisationMax)
    reasons.push(`a thread of the load generator was busy ${percent(loop_utilisation)} of the time`);
  return reasons;
}

/** Gaps between chunks in ms: the median of all, that of those which are not 0, and the mean. */
export interface Gaps {
  medianMs: number;
  readMs: number | null;
  meanMs: number;
}

/** The exactness of a measurement. `itl` is null without gaps. */
export function checkSelf(
  readings: readonly MeterReading[],
  table: RequestTable,
  run: { connectionsOpened: number; itl: Gaps | null },
): SelfCheck {
  const { reads, coalesced } = countReads(table);
  const lag = percentilesOf(sendLags(table), [50, 99, 100]);
  const waits = readings.map(({ schedulerWaitMs }) => schedulerWaitMs).filter((wait) => wait !== null);
  const measured: Measured = {
    threads: readings.length,
    loop_utilisation: most(readings.map(({ loopUtilisation }) => loopUtilisation)),
    cpu_s: sum(readings.map(({ cpuS }) => cpuS)),
    scheduler_wait_ms: waits.length < readings.length ? null : sum(waits),
    batch_ms_max: most(readings.map(({ batchMsMax }) => batchMsMax)),
    batch_events_max: most(readings.map(({ batchEventsMax }) => batchEventsMax)),
    batch_ms_p99: batchQuantile(readings, 0.99),
    coalesced_share: coalesced / Math.max(1, reads),
    late_share: run.itl === null ? 0 : lateReads(readings, lateGapShare * run.itl.meanMs) / Math.max(1, reads),
    send_lag_ms_p50: lag?.[0] ?? null,
    send_lag_ms_p99: lag?.[1] ?? null,
    send_lag_ms_max: lag?.[2] ?? null,
    gc_ms: sum(readings.map(({ gcMs }) => gcMs)),
    connections_opened: run.connectionsOpened,
    itl_ms_p50: run.itl?.medianMs ?? null,
    read_gap_ms_p50: run.itl?.readMs ?? null,
  };
  const reasons = findClientLimits(measured);
  return { ...measured, client_limited: reasons.length > 0, reasons };
}
