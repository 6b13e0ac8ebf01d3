import { succeeded } from '../../records/measure.ts';
import type { Result } from '../../subjects/result.ts';
import { lengthsOf } from '../../subjects/scenario.ts';
import { checkParts, isPerRequest, leavesFirstOut, meanAnswer, toleranceOf } from '../arithmetic/arithmetic.ts';
import { answer, type Check } from '../check.ts';

const tolerance = 0.02;
/**
 * Varying lengths produce the same sum by chance about once in tokens x sqrt(requests) runs. Below this number a match
 * proves nothing. With more requests, the scatter of the lengths matters less when this happens.
 */
const runsLeast = 150;
const scatter = 0.5;

/** Returns the tolerance of a latency if all responses have equal length; null if they differ or the lengths are unknown. */
function toleranceFor(result: Result): number | null {
  const { metrics, records } = result;
  if (records !== null) {
    const ok = succeeded(records.requests);
    const first = ok[0]?.outputTokens ?? null;
    return first !== null && ok.every(({ outputTokens }) => outputTokens === first) ? tolerance : null;
  }
  const { output_tokens: tokens, requests_ok: ok } = metrics;
  // A fractional mean matches the tokens of any run.
  const { outputTokens: asked } = lengthsOf(result);
  if (asked === null || !Number.isInteger(asked)) return null;
  if (ok === undefined || tokens !== ok * asked || asked * Math.sqrt(ok) < runsLeast) return null;
  return tolerance + scatter / Math.sqrt(ok);
}

export const a10StepsAddUp: Check = {
  id: 'A10',
  code: 'steps_contradict_latency',
  title: 'TTFT and an equal number of steps after it add up to the latency',
  rule:
    'If all responses have the same length: mean e2e = mean ttft + (n - 1) x mean tpot, within the rounding of the figures as written and 2 % if records show the lengths, or 2 % + 0.5 / sqrt(requests_ok) if the tokens add up to requests_ok x the requested length, which varying lengths may do by chance. The latter needs n x sqrt(requests_ok) >= 150, or the chance is too high. ' +
    'Responses of different lengths are not checked, because valid runs differ by a factor of two. A larger difference is a violation.',
  check({ result }) {
    const { metrics, definitions } = result;
    const { e2e_ms_mean: statedMs, ttft_ms_mean: ttftMs, tpot_ms_mean: stepMs } = metrics;
    if (statedMs === undefined || ttftMs === undefined || stepMs === undefined) return 'not_applicable';
    if (!isPerRequest(result) || !leavesFirstOut(definitions)) return 'not_applicable';
    const tokens = meanAnswer(metrics);
    const allowed = toleranceFor(result);
    if (tokens === null || tokens < 2 || allowed === null) return 'not_applicable';
    return answer(checkParts({ statedMs, ttftMs, stepMs, tokens }, toleranceOf(result, allowed), 'steps'));
  },
};
