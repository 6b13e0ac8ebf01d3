import { succeeded } from '../../records/measure.ts';
import type { RequestRecord } from '../../records.ts';
import { percentile } from '../../statistics/percentile.ts';
import type { Result } from '../../subjects/result.ts';
import { meanAnswer } from '../arithmetic/arithmetic.ts';
import { type Check, type Doubt, figure, unchecked } from '../check.ts';

const title = 'The system keeps up with the requested rate';
const shareLeast = 0.95;
/** Arrivals vary. Chance rarely explains more than three standard deviations of their number. */
const deviations = 3;
const requestsLeast = 20;
const growthMost = 2;

/** Median TTFT of the requests sent in the first and in the second half of a run; null if too few have one. */
function halves(requests: readonly RequestRecord[]): { early: number; late: number } | null {
  const timed = succeeded(requests).flatMap(({ sentS, ttftMs }) =>
    sentS === null || ttftMs === null ? [] : [{ sentS, ttftMs }],
  );
  if (timed.length < requestsLeast) return null;
  const inOrder = timed.sort((a, b) => a.sentS - b.sentS).map(({ ttftMs }) => ttftMs);
  const middle = Math.floor(inOrder.length / 2);
  return { early: percentile(inOrder.slice(0, middle), 50), late: percentile(inOrder.slice(middle), 50) };
}

/** Finds TTFT that grows during an open loop, because requests wait for earlier ones. Null if records do not show it. */
function growth({ records }: Result): Doubt[] | null {
  const found = records === null ? null : halves(records.requests);
  if (found === null) return null;
  const { early, late } = found;
  if (late <= growthMost * early) return [];
  return [
    {
      severity: 'warning',
      message: `The median TTFT grew from ${figure(early)} ms in the first half of the run to ${figure(late)} ms in the second: requests arrived faster than they were served.`,
      evidence: { ttft_ms_first_half: early, ttft_ms_second_half: late, ratio: late / early },
    },
  ];
}

/** Long responses may have slower tokens than short ones, which a mean over requests does not show. */
const stepMost = 2;

/** The mean latency of a request, or the most that TTFT and the time per token allow. Null if unknown. */
function latencyAtMost({ metrics }: Result): number | null {
  const { e2e_ms_mean: e2eMs, ttft_ms_mean: ttftMs, tpot_ms_mean: tpotMs, itl_ms_mean: gapMs = 0 } = metrics;
  if (e2eMs !== undefined) return e2eMs;
  const tokens = meanAnswer(metrics);
  if (ttftMs === undefined || tpotMs === undefined || tokens === null) return null;
  return ttftMs + stepMost * Math.max(tpotMs, gapMs) * Math.max(0, tokens - 1);
}

/** Compares completed requests per second with the requested rate. Null if the summary lacks a figure. */
function lag(result: Result): Doubt[] | null {
  const { metrics, load } = result;
  const { duration_s: seconds, requests_ok: ok, requests_failed: failed = 0 } = metrics;
  const e2eMs = latencyAtMost(result);
  if (load.mode !== 'rate' || seconds === undefined || ok === undefined || e2eMs === null) return null;
  const count = ok + failed;
  const achieved = count / seconds;
  // The window ends with the last response, one latency after the last arrival.
  const sending = 1 - e2eMs / 1000 / seconds;
  const noise = 1 - deviations / Math.sqrt(count * Math.min(1, load.burstiness ?? 1));
  const least = shareLeast * load.level * Math.max(0, sending) * Math.max(0, noise);
  if (achieved >= least) return [];
  return [
    {
      severity: 'warning',
      message: `${figure(load.level)} requests per second were requested, ${figure(achieved)} were served: the system, or the client, did not keep up.`,
      evidence: { asked_req_s: load.level, achieved_req_s: achieved, bound: least, ratio: achieved / load.level },
    },
  ];
}

export const r5Saturated: Check = {
  id: 'R5',
  code: 'saturated',
  title,
  rule:
    'For an open-loop rate, requests ended / duration_s must reach 0.95 x level x (1 - mean E2E / duration_s) x (1 - 3 / sqrt(requests x burstiness)): the last two factors allow for the response to the last request and for chance in the arrivals. Without a mean E2E latency, TTFT + 2 x time per token x (tokens - 1) takes its place. ' +
    'With records of 20 requests or more the median TTFT of the second half of the run may be twice that of the first. ' +
    'A lower rate or a higher ratio is a warning: queues grow, so latencies depend on the length of the run.',
  check({ result }) {
    if (result.kind !== 'serving' || result.load.mode !== 'rate') return 'not_applicable';
    const [lagging, growing] = [lag(result), growth(result)];
    const doubts = [...(lagging ?? []), ...(growing ?? [])];
    if (doubts.length > 0) return doubts;
    if (lagging === null && growing === null) return unchecked(title, ['duration_s, requests_ok and e2e_ms_mean']);
    return 'pass';
  },
};
