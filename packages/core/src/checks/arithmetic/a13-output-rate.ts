import { type Check, figure, unchecked } from '../check.ts';
import { brokenBounds } from '../ratio.ts';
import { isPerRequest, meanAnswer, middleOf, missingOf, requestRate, toleranceOf } from './arithmetic.ts';

const title = 'Output throughput matches request rate and response length';
const tolerance = 0.02;

export const a13OutputRate: Check = {
  id: 'A13',
  code: 'output_rate_contradicts',
  title,
  rule:
    'output_tok_s = L x mean n / mean e2e, with L the requests in flight as in A11 and mean n = output_tokens / requests_ok. L is requests per second x mean e2e, so the latency cancels out: output_tok_s = requests per second x mean n, which needs no duration if req_s is stated. ' +
    'Within 2 % and the rounding of the figures as written. A larger difference is a violation.',
  check({ result }) {
    const { kind, metrics, load } = result;
    const { output_tok_s: stated, output_tokens, requests_ok } = metrics;
    if (kind !== 'serving' || stated === undefined || load.mode === 'batch' || !isPerRequest(result))
      return 'not_applicable';
    const rate = requestRate(metrics);
    if (rate === null) return 'not_applicable';
    const tokens = meanAnswer(metrics);
    if (tokens === null)
      return requests_ok === 0 ? 'not_applicable' : unchecked(title, missingOf({ output_tokens, requests_ok }));
    const range = { low: rate.low * tokens, high: rate.high * tokens };
    const broken = brokenBounds(stated, range, toleranceOf(result, tolerance));
    if (broken === null) return 'pass';
    const requestsPerS =
      metrics.duration_s === undefined || requests_ok === undefined ? middleOf(rate) : requests_ok / metrics.duration_s;
    const expected = requestsPerS * tokens;
    return [
      {
        severity: 'violation',
        message: `Output throughput is stated as ${figure(stated)} tok/s, but ${figure(requestsPerS)} responses of ${figure(tokens)} tokens per second equal ${figure(expected)} tok/s.`,
        evidence: { stated, expected, ...broken, req_s: requestsPerS, tokens },
      },
    ];
  },
};
