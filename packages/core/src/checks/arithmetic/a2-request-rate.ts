import { answer, type Check, unchecked } from '../check.ts';
import { checkRate } from '../ratio.ts';
import { missingOf, toleranceOf } from './arithmetic.ts';

const title = 'Request rate equals requests over duration';

export const a2RequestRate: Check = {
  id: 'A2',
  code: 'request_rate_contradicts',
  title,
  rule:
    'req_s = requests_ok / duration_s, within 1 % and the rounding of the three figures as written. Needs all three. ' +
    'A larger difference is a violation: failed requests were counted, or a different window was used.',
  check({ result }) {
    const { kind, metrics } = result;
    if (kind !== 'serving') return 'not_applicable';
    const { req_s, requests_ok, duration_s } = metrics;
    if (req_s === undefined) return 'not_applicable';
    if (requests_ok === undefined || duration_s === undefined)
      return unchecked(title, missingOf({ requests_ok, duration_s }));
    return answer(
      checkRate({
        name: 'req_s',
        unit: 'req/s',
        stated: req_s,
        amount: requests_ok,
        amountName: 'requests',
        seconds: duration_s,
        tolerance: toleranceOf(result, 0.01),
      }),
    );
  },
};
