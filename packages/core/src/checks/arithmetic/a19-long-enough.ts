import { type Check, figure, unchecked } from '../check.ts';
import { missingOf } from './arithmetic.ts';

const title = 'The run is long enough';
const secondsLeast = 10;
const requestsLeast = 100;

export const a19LongEnough: Check = {
  id: 'A19',
  code: 'short_run',
  title,
  rule:
    'duration_s >= 10 or requests_ok >= 100, except for static batches. Needs one of the two if it is sufficient, or both. ' +
    'A shorter run is an info, because start-up, warm-up and chance affect it. Formal benchmarks require ten minutes.',
  check({ result: { kind, load, metrics } }) {
    const { duration_s, requests_ok } = metrics;
    if (kind !== 'serving' || load.mode === 'batch') return 'not_applicable';
    if (duration_s === undefined && requests_ok === undefined) return 'not_applicable';
    if ((duration_s ?? 0) >= secondsLeast || (requests_ok ?? 0) >= requestsLeast) return 'pass';
    if (duration_s === undefined || requests_ok === undefined)
      return unchecked(title, missingOf({ duration_s, requests_ok }));
    return [
      {
        severity: 'info',
        message: `The run had ${figure(requests_ok)} requests in ${figure(duration_s)} s. Run for at least 10 s or 100 requests for reliable figures.`,
        evidence: { duration_s, requests_ok },
      },
    ];
  },
};
