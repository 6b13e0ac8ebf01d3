import type { PointCut } from '@inferboard/core/observed/cut-short';
import { type PlanPoint, requestsOfPoint } from '@inferboard/core/plans/point';
import {
  type ShownPercentile,
  shownPercentiles,
  supportedPercentiles,
} from '@inferboard/core/statistics/supported-percentiles';
import { failedOf, type LatencySummary } from '@inferboard/loadgen/measure/records/summarise-load';
import { doubtsOf } from '@inferboard/loadgen/points/doubts';
import { describeFailures, lastFailure } from '@inferboard/loadgen/points/failure-words';
import type { MeasuredPoint } from '@inferboard/loadgen/points/measure-point';
import type { Refusal } from '@inferboard/loadgen/points/refusal';
import type { NoResult } from './empty-run.ts';

const rounded = (value: number | null | undefined) => (value == null ? null : Math.round(value * 1000) / 1000);

/** The number of samples of each latency. */
const samplesOf = ({ latencies }: MeasuredPoint['summary']) => ({
  ttft: latencies.ttft_from_sent?.n ?? 0,
  itl: latencies.itl_per_chunk?.n ?? 0,
  tpot: latencies.tpot_per_token?.n ?? 0,
  e2e: latencies.e2e_from_sent?.n ?? 0,
});

/** The mean and the percentiles of a latency. A percentile is null if there are too few samples. */
function figuresOf(name: string, latency: LatencySummary | null) {
  const supported = supportedPercentiles(latency?.n ?? 0);
  const percentile = (p: ShownPercentile) => (supported.includes(p) ? rounded(latency?.[`p${p}`]) : null);
  return {
    [`${name}_ms_mean`]: rounded(latency?.mean),
    ...Object.fromEntries(shownPercentiles.map((p) => [`${name}_ms_p${p}`, percentile(p)])),
  };
}

const noResult = (code: NoResult['code'], message: string): { no_result: NoResult } => ({
  no_result: { code, message },
});

function cutIn({ cut, record }: MeasuredPoint): PointCut | null {
  if (cut === null) return null;
  const { reason, ended, planned } = cut;
  return { reason, requests_ended: ended, requests_planned: planned, last_error: lastFailure(record) };
}

/**
 * Figures of a point for the display of progress. Published figures are derived from its records.
 *
 * @param trouble why readings of the server are missing
 */
export function summaryOf(measured: MeasuredPoint, trouble: string | null): Record<string, unknown> {
  const { point, record, summary, goodput } = measured;
  const { latencies, throughput, by_outcome } = summary;
  const { workers } = measured.record;
  return {
    ...{ scenario: point.scenario.id, load: point.load, repetition: point.repetition },
    requests: { total: requestsOfPoint(point), ok: by_outcome.ok, failed: failedOf(summary) },
    failures: Object.fromEntries(Object.entries(by_outcome).filter(([kind, count]) => kind !== 'ok' && count > 0)),
    samples: samplesOf(summary),
    metrics: {
      ...figuresOf('ttft', latencies.ttft_from_sent),
      ...figuresOf('itl', latencies.itl_per_chunk),
      ...figuresOf('tpot', latencies.tpot_per_token),
      ...figuresOf('e2e', latencies.e2e_from_sent),
      output_tok_s: rounded(throughput?.output_tok_s),
      req_s: rounded(throughput?.req_s),
      goodput_req_s: rounded(goodput?.req_s),
      goodput_share: rounded(goodput?.share),
    },
    ...(workers !== undefined && { workers: workers.count, clock_error_ms: rounded(workers.clock_error_ms) }),
    cut: cutIn(measured),
    doubts: [...doubtsOf(measured), ...(trouble === null ? [] : [trouble])],
    ...(by_outcome.ok === 0 && noResult('endpoint_failing', describeFailures(record) ?? 'no request was completed')),
  };
}

/** Why a point whose data set is unavailable has no result. Omits the location, which concerns the operator only. */
export const datasetMissing = ({ scenario }: PlanPoint): string => `the data set ${scenario.id} is not available here`;

/** Why a point that the server cannot hold has no result, within a sentence. */
export const refusedWords = ({ reason }: Refusal): string => `${reason.charAt(0).toLowerCase()}${reason.slice(1)}`;

/** The summary of a point that cannot be measured. */
export function unmeasuredOf(point: PlanPoint, why: string): Record<string, unknown> {
  return {
    ...{ scenario: point.scenario.id, load: point.load, repetition: point.repetition },
    samples: null,
    ...{ requests: { total: 0, ok: 0, failed: 0 }, failures: {}, metrics: null },
    doubts: [`skipped: ${why}`],
    ...noResult('scenario_not_runnable', why),
  };
}
