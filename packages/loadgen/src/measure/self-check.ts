import type { SelfCheck } from './load-record.ts';
import { batchBucketMs, type MeterReading } from './meter.ts';
import { percentilesOf } from './percentiles.ts';
import type { RequestTable } from './request-table.ts';

/** Busier than this, a thread is late for what comes. */
const utilisationMax = 0.7;
/** A batch of reads of up to this share of the gap between chunks; longer ones blur it. */
const batchShareMax = 0.05;
/** A blur below is within what percentiles of gaps are promised to. */
const batchMsLeast = 1;
const coalescedShareMax = 0.01;
/** Below, a thread had time for every read: what came together was sent together. */
const idleUtilisation = 0.2;
const waitShareMax = 0.02;

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

function coalescedShare({ rows, counts }: RequestTable): number {
  let [reads, coalesced] = [0, 0];
  for (let row = 0; row < rows; row++) {
    reads += Math.max(0, counts.tokenReads[row] ?? 0);
    coalesced += Math.max(0, counts.coalescedReads[row] ?? 0);
  }
  return reads === 0 ? 0 : coalesced / reads;
}

type Measured = Omit<SelfCheck, 'client_limited' | 'reasons'>;

/** Why the figures of a run may be the generator's own, in words with the figures; none if they are not. */
export function findClientLimits(self: Measured, durationMs: number): string[] {
  const reasons: string[] = [];
  const { loop_utilisation, batch_ms_p99, itl_ms_p50, coalesced_share, scheduler_wait_ms } = self;
  if (loop_utilisation > utilisationMax)
    reasons.push(`a thread of the load generator was busy ${percent(loop_utilisation)} of the time`);
  if (itl_ms_p50 !== null && batch_ms_p99 > Math.max(batchMsLeast, batchShareMax * itl_ms_p50))
    reasons.push(
      `reads came in batches of up to ${batch_ms_p99.toFixed(2)} ms (99 % of tokens), more than ${percent(batchShareMax)} of the median gap of ${itl_ms_p50.toFixed(2)} ms`,
    );
  const waitShare = (scheduler_wait_ms ?? 0) / Math.max(1, durationMs * self.threads);
  const hadTime = loop_utilisation < idleUtilisation && waitShare < waitShareMax;
  if (coalesced_share > coalescedShareMax && !hadTime)
    reasons.push(`${percent(coalesced_share)} of reads held more than one chunk of an answer`);
  return reasons;
}

/** What a run says of its own measuring. `itlMs`: median gap between chunks, null without any. */
export function checkSelf(
  readings: readonly MeterReading[],
  table: RequestTable,
  run: { durationMs: number; connectionsOpened: number; itlMs: number | null },
): SelfCheck {
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
    coalesced_share: coalescedShare(table),
    send_lag_ms_p50: lag?.[0] ?? null,
    send_lag_ms_p99: lag?.[1] ?? null,
    send_lag_ms_max: lag?.[2] ?? null,
    gc_ms: sum(readings.map(({ gcMs }) => gcMs)),
    connections_opened: run.connectionsOpened,
    itl_ms_p50: run.itlMs,
  };
  const reasons = findClientLimits(measured, run.durationMs);
  return { ...measured, client_limited: reasons.length > 0, reasons };
}
