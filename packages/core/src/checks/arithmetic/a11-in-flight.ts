import type { Load } from '../../subjects/load.ts';
import { type Check, figure, unchecked } from '../check.ts';
import { inFlight, isPerRequest, middleOf, missingOf, toleranceOf } from './arithmetic.ts';

const title = 'No more requests are in flight than the load allows';
const tolerance = 0.01;

/** Returns the maximum requests in flight of a load; null if it has no limit or no requests. */
function capOf(load: Load): number | null {
  if (load.mode === 'concurrency' || load.mode === 'burst') return load.level;
  return load.mode === 'rate' ? (load.maxConcurrency ?? null) : null;
}

export const a11InFlight: Check = {
  id: 'A11',
  code: 'too_many_in_flight',
  title,
  rule:
    'Requests in flight on average, requests_ok x mean e2e / duration_s (Little), are at most 1.01 x the users of a closed loop, the requests of a burst, or the cap of a rate, within the rounding of the figures as written. It is exact, because every request begins and ends within the duration. ' +
    'Needs requests_ok and duration_s, or req_s, and the mean E2E latency; without it, TTFT and gaps of single tokens give it within 2 %, or TTFT alone gives a lower bound. A higher number is a violation.',
  check({ result }) {
    const { kind, metrics, load } = result;
    const cap = capOf(load);
    const { requests_ok, duration_s, req_s, e2e_ms_mean } = metrics;
    if (kind !== 'serving' || cap === null || !isPerRequest(result)) return 'not_applicable';
    const hasRate = req_s !== undefined || (requests_ok !== undefined && duration_s !== undefined);
    if (!hasRate && e2e_ms_mean === undefined) return 'not_applicable';
    if (!hasRate) return unchecked(title, missingOf({ requests_ok, duration_s }));
    const found = inFlight(result);
    if (found === null) return unchecked(title, missingOf({ e2e_ms_mean }));
    const bound = cap * (1 + toleranceOf(result, tolerance));
    if (found.range.low <= bound * (1 + 1e-9))
      return found.isWhole ? 'pass' : unchecked(title, missingOf({ e2e_ms_mean }));
    const average = middleOf(found.range);
    return [
      {
        severity: 'violation',
        message: `Rate and latency of the requests imply ${found.isWhole ? '' : 'at least '}${figure(average)} requests in flight on average, but the load allows at most ${figure(cap)}.`,
        evidence: { in_flight: average, concurrency: cap, bound, ratio: average / cap },
      },
    ];
  },
};
