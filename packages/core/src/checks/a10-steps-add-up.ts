import { succeeded } from '../records/measure.ts';
import type { Result } from '../result.ts';
import { lengthsOf } from '../scenario.ts';
import { checkParts, isPerRequest, leavesFirstOut, meanAnswer, toleranceOf } from './arithmetic.ts';
import { answer, type Check } from './check.ts';

const tolerance = 0.02;
/**
 * Lengths that vary add up to the same sum by chance about once in tokens x sqrt(requests) runs: below so many it tells
 * nothing. When it happens, the scatter of the lengths matters the less, the more requests there are.
 */
const runsLeast = 150;
const scatter = 0.5;

/** How far a latency may be off where all answers are equally long; null where they are not, or nobody can tell. */
function toleranceFor(result: Result): number | null {
  const { metrics, records } = result;
  if (records !== null) {
    const ok = succeeded(records.requests);
    const first = ok[0]?.outputTokens ?? null;
    return first !== null && ok.every(({ outputTokens }) => outputTokens === first) ? tolerance : null;
  }
  const { output_tokens: tokens, requests_ok: ok } = metrics;
  // A mean that is no whole number adds up to the tokens of any run.
  const { outputTokens: asked } = lengthsOf(result);
  if (asked === null || !Number.isInteger(asked)) return null;
  if (ok === undefined || tokens !== ok * asked || asked * Math.sqrt(ok) < runsLeast) return null;
  return tolerance + scatter / Math.sqrt(ok);
}

export const a10StepsAddUp: Check = {
  id: 'A10',
  code: 'steps_contradict_latency',
  title: 'TTFT and equally many steps after it make the latency',
  rule:
    'Where all answers are equally long: mean e2e = mean ttft + (n - 1) x mean tpot, within the rounding of the figures as written and 2 % where records show the lengths, or 2 % + 0.5 / sqrt(requests_ok) where the tokens add up to requests_ok x the length asked for, which lengths that vary may do by chance. Needs n x sqrt(requests_ok) >= 150 for the latter, or the chance is too high. ' +
    'Answers of unlike lengths are not judged: honest runs are off by a factor of two. A latency further off is a violation.',
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
