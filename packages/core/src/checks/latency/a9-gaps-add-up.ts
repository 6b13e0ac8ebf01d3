import { checkParts, isPerRequest, meanAnswer, missingOf, toleranceOf } from '../arithmetic/arithmetic.ts';
import { answer, type Check, unchecked } from '../check.ts';

const title = 'TTFT and the gaps after it add up to the latency';
/** Substitutes for gaps that were not measured. */
const standIns: readonly (string | undefined)[] = ['from_tpot', 'from_user_tok_s'];

export const a9GapsAddUp: Check = {
  id: 'A9',
  code: 'gaps_contradict_latency',
  title,
  rule:
    'mean e2e = mean ttft + (mean n - 1) x mean itl, with mean n = output_tokens / requests_ok, within 2 % and the rounding of the figures as written. It holds for responses of any length, because gaps are pooled, but only if every gap is one token. Gaps of chunks and gaps of an unknown kind stay unchecked. ' +
    'A larger difference is a violation.',
  check({ result }) {
    const { metrics, definitions } = result;
    const { e2e_ms_mean, ttft_ms_mean, itl_ms_mean, output_tokens, requests_ok } = metrics;
    if (e2e_ms_mean === undefined || itl_ms_mean === undefined) return 'not_applicable';
    if (!isPerRequest(result) || standIns.includes(definitions.itl_ms)) return 'not_applicable';
    if (definitions.itl_ms !== 'per_token') return unchecked(title, ['gaps of single tokens']);
    const tokens = meanAnswer(metrics);
    if (ttft_ms_mean === undefined || tokens === null)
      return unchecked(title, missingOf({ ttft_ms_mean, output_tokens, requests_ok }));
    if (tokens < 1) return 'not_applicable';
    const parts = { statedMs: e2e_ms_mean, ttftMs: ttft_ms_mean, stepMs: itl_ms_mean, tokens };
    return answer(checkParts(parts, toleranceOf(result, 0.02), 'gaps'));
  },
};
