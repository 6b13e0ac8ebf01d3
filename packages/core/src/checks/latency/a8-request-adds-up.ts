import { checkParts, isPerRequest, leavesFirstOut, missingOf, toleranceOf } from '../arithmetic/arithmetic.ts';
import { answer, type Check, unchecked } from '../check.ts';

const title = 'TTFT and the steps after it add up to the latency of a single request';

export const a8RequestAddsUp: Check = {
  id: 'A8',
  code: 'request_contradicts',
  title,
  rule:
    'For a run of one request: e2e = ttft + (n - 1) x tpot with n its output tokens as counted, within 1 % and the rounding of the figures as written. Needs the mean of each latency, measured from when the request was sent, and output_tokens. ' +
    'A larger difference is a violation. A9 and A10 check runs of more requests.',
  check({ result }) {
    const { metrics, definitions } = result;
    const { requests_ok, output_tokens: tokens, e2e_ms_mean, ttft_ms_mean } = metrics;
    const hasParts = ttft_ms_mean !== undefined || metrics.tpot_ms_mean !== undefined;
    if (requests_ok !== 1 || e2e_ms_mean === undefined || !hasParts || tokens === 0) return 'not_applicable';
    if (!isPerRequest(result) || !leavesFirstOut(definitions)) return 'not_applicable';
    // A response of one token ends with its first token.
    const tpot_ms_mean = tokens === 1 ? 0 : metrics.tpot_ms_mean;
    if (tokens === undefined || ttft_ms_mean === undefined || tpot_ms_mean === undefined)
      return unchecked(title, missingOf({ output_tokens: tokens, ttft_ms_mean, tpot_ms_mean }));
    const parts = { statedMs: e2e_ms_mean, ttftMs: ttft_ms_mean, stepMs: tpot_ms_mean, tokens };
    return answer(checkParts(parts, toleranceOf(result, 0.01), 'steps'));
  },
};
