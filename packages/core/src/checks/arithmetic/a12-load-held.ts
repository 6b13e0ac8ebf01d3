import type { Result } from '../../subjects/result.ts';
import { lengthsOf } from '../../subjects/scenario.ts';
import { type Check, type Doubt, figure, unchecked } from '../check.ts';
import { inFlight, isPerRequest, middleOf, missingOf } from './arithmetic.ts';

const title = 'A closed loop keeps its users busy';
const shareLeast = 0.5;
/** Responses may end early: without counts, they are assumed to have at least this share of the requested tokens. */
const lengthLeast = 0.25;

/** The most requests in flight that a token rate allows; null if it, the latency or the requested length is unknown. */
function inFlightAtMost(result: Result): number | null {
  const { output_tok_s: rate, e2e_ms_mean: e2eMs } = result.metrics;
  const asked = lengthsOf(result).outputTokens;
  if (rate === undefined || e2eMs === undefined || asked === null || asked === 0) return null;
  return (rate / (lengthLeast * asked)) * (e2eMs / 1000);
}

const warn = (average: number, users: number, words: string): Doubt => ({
  severity: 'warning',
  message: `On average, ${words} ${figure(average)} of ${figure(users)} users had a request in flight: the run was too short for its load, the client did not keep up, or the run stalled.`,
  evidence: { in_flight: average, concurrency: users, bound: shareLeast * users, ratio: average / users },
});

export const a12LoadHeld: Check = {
  id: 'A12',
  code: 'load_not_held',
  title,
  rule:
    'Requests in flight on average, as in A11, are at least half the users of a closed loop. Needs a mean E2E latency, or TTFT and gaps of single tokens; a lower bound is not enough. ' +
    'Without a request rate, the output rate and the mean E2E latency give the most that is possible if responses have at least a quarter of the requested tokens. ' +
    'Fewer is a warning: the run had so few requests that its start and end dominate, the client did not keep up, or the run stalled. ' +
    'Not applied to conversations: their users also wait between turns.',
  check({ result }) {
    const { kind, load, metrics, extra } = result;
    if (kind !== 'serving' || load.mode !== 'concurrency' || !isPerRequest(result)) return 'not_applicable';
    if (extra.multi_turn === true) return 'not_applicable';
    const { e2e_ms_mean, req_s, requests_ok, duration_s } = metrics;
    const hasRate = req_s !== undefined || (requests_ok !== undefined && duration_s !== undefined);
    if (!hasRate && e2e_ms_mean === undefined) return 'not_applicable';
    if (!hasRate) {
      const most = inFlightAtMost(result);
      const isIdle = most !== null && most < shareLeast * load.level;
      return isIdle ? [warn(most, load.level, 'at most')] : unchecked(title, missingOf({ requests_ok, duration_s }));
    }
    const found = inFlight(result);
    const bound = shareLeast * load.level;
    // The bound holds even without the time after the first token.
    if (found !== null && found.range.low >= bound) return 'pass';
    if (found === null || !found.isWhole) return unchecked(title, missingOf({ e2e_ms_mean }));
    if (found.range.high >= bound) return 'pass';
    return [warn(middleOf(found.range), load.level, 'only')];
  },
};
