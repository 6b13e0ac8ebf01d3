import { type Check, figure, unchecked } from '../check.ts';
import { inFlight, isPerRequest, middleOf, missingOf } from './arithmetic.ts';

const title = 'A closed loop keeps its users busy';
const shareLeast = 0.5;

export const a12LoadHeld: Check = {
  id: 'A12',
  code: 'load_not_held',
  title,
  rule:
    'Requests in flight on average, as in A11, are at least half the users of a closed loop. Needs a mean E2E latency, or TTFT and gaps of single tokens; a lower bound is not enough. ' +
    'Fewer is a warning: the run had so few requests that its start and end dominate, or the client did not keep up. ' +
    'Not applied to conversations: their users also wait between turns.',
  check({ result }) {
    const { kind, load, metrics, extra } = result;
    if (kind !== 'serving' || load.mode !== 'concurrency' || !isPerRequest(result)) return 'not_applicable';
    if (extra.multi_turn === true) return 'not_applicable';
    const { e2e_ms_mean, req_s, requests_ok, duration_s } = metrics;
    const hasRate = req_s !== undefined || (requests_ok !== undefined && duration_s !== undefined);
    if (!hasRate && e2e_ms_mean === undefined) return 'not_applicable';
    if (!hasRate) return unchecked(title, missingOf({ requests_ok, duration_s }));
    const found = inFlight(result);
    const bound = shareLeast * load.level;
    // The bound holds even without the time after the first token.
    if (found !== null && found.range.low >= bound) return 'pass';
    if (found === null || !found.isWhole) return unchecked(title, missingOf({ e2e_ms_mean }));
    if (found.range.high >= bound) return 'pass';
    const average = middleOf(found.range);
    return [
      {
        severity: 'warning',
        message: `On average, only ${figure(average)} of ${figure(load.level)} users had a request in flight: the run was too short for its load, or the client did not keep up.`,
        evidence: { in_flight: average, concurrency: load.level, bound, ratio: average / load.level },
      },
    ];
  },
};
