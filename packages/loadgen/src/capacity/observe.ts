import type { LoadRecord, RequestRecord } from '../measure/records/load-record.ts';
import { percentileOf } from '../measure/records/percentiles.ts';
import type { MeasuredPoint } from '../points/measure-point.ts';
import { formatLimit, type LatencyLimit, valueUnder } from './limits.ts';
import type { Observation } from './search.ts';

/** Failed requests by all requests: more than this is a missed limit. */
const failedShareMax = 0.01;
/** Below this share of the arrivals the server completes less than it is sent. */
const keptUpShare = 0.98;
/** The latency of the last quarter by that of the first: beyond this the queue grew. */
const queueGrowth = 1.25;

const median = (requests: readonly RequestRecord[]) =>
  percentileOf(Float64Array.from(requests.map(({ started_ms, closed_ms }) => closed_ms - started_ms)).sort(), 50);

const perSecond = (times: readonly number[]) => {
  const sorted = Float64Array.from(times).sort();
  const span = (sorted.at(-1) ?? 0) - (sorted[0] ?? 0);
  return span > 0 ? (1000 * (sorted.length - 1)) / span : null;
};

/** How fast an open loop's requests ended, and whether they ended slower than they were sent while the queue grew. */
export function queueOf({ requests }: Pick<LoadRecord, 'requests'>): {
  completed_req_s: number | null;
  grows: boolean;
} {
  const ok = requests.filter(({ outcome }) => outcome === 'ok').sort((a, b) => a.started_ms - b.started_ms);
  const completed_req_s = perSecond(ok.map(({ closed_ms }) => closed_ms));
  const sent_req_s = perSecond(ok.map(({ started_ms }) => started_ms));
  const quarter = Math.floor(ok.length / 4);
  if (completed_req_s === null || sent_req_s === null || quarter === 0) return { completed_req_s, grows: false };
  const grows =
    completed_req_s < keptUpShare * sent_req_s &&
    median(ok.slice(-quarter)) > queueGrowth * median(ok.slice(0, quarter));
  return { completed_req_s, grows };
}

/** What a measured point shows about its load, under limits. */
export function observe(
  { point, record, summary }: Pick<MeasuredPoint, 'point' | 'record' | 'summary'>,
  limits: readonly LatencyLimit[],
  isFine: boolean,
): Observation {
  const isRate = point.load.mode === 'rate';
  const queue = queueOf(record);
  const sent = record.requests.filter(({ outcome }) => outcome !== 'cancelled');
  const failed = sent.filter(({ outcome }) => outcome !== 'ok').length / sent.length;
  const isSaturated = isRate && queue.grows;
  const missed = [
    ...limits.map((limit) => ({
      bound: formatLimit(limit),
      ratio: (valueUnder(limit, summary) ?? Number.POSITIVE_INFINITY) / limit.ms,
    })),
    { bound: 'failures', ratio: failed > failedShareMax ? failed / failedShareMax : 0 },
    // Latency that still meets the limits in a short point does not in a long one.
    { bound: 'saturation', ratio: isSaturated ? point.load.level / (queue.completed_req_s ?? Number.NaN) : 0 },
  ];
  const worst = missed.reduce((most, one) => (one.ratio > most.ratio ? one : most));
  return {
    ...{ level: point.load.level, ...worst, isFine, isSaturated },
    completed_req_s: isSaturated ? queue.completed_req_s : (summary.throughput?.req_s ?? null),
  };
}
