import type { Result } from '../../subjects/result.ts';
import { type Check, type Doubt, figure, roundingOf, unchecked } from '../check.ts';
import { missingOf, requestRate } from './arithmetic.ts';

const title = 'Request counts add up, and goodput is at most the request rate';

/** Returns the requests sent: the artifact's count, or the size of a burst, which may have been repeated. */
function sentOf({ extra, load }: Result): { sent: number; mayRepeat: boolean } | null {
  if (typeof extra.requests_sent === 'number') return { sent: extra.requests_sent, mayRepeat: false };
  return load.mode === 'burst' ? { sent: load.level, mayRepeat: true } : null;
}

function checkCount(result: Result): readonly Doubt[] | null {
  const { requests_ok: ok, requests_failed: failed } = result.metrics;
  const of = sentOf(result);
  if (of === null || ok === undefined) return null;
  const { sent, mayRepeat } = of;
  if (failed === undefined && (mayRepeat || ok <= sent))
    return ok === sent ? [] : unchecked(title, missingOf({ requests_failed: failed }));
  const ended = ok + (failed ?? 0);
  if (ended === sent || (mayRepeat && ended > 0 && ended % sent === 0)) return [];
  return [
    {
      severity: 'violation',
      message: `${figure(sent)} requests were sent, but ${figure(ok)} succeeded and ${figure(failed ?? 0)} failed, ${figure(ended)} in total.`,
      evidence: { requests_sent: sent, requests_ok: ok, requests_failed: failed ?? null, ended },
    },
  ];
}

function checkGoodput({ metrics }: Result): readonly Doubt[] | null {
  const { goodput_req_s: good, requests_ok, duration_s } = metrics;
  if (good === undefined) return null;
  const rate = requestRate(metrics);
  if (rate === null) return unchecked(title, ['req_s', ...missingOf({ requests_ok, duration_s })]);
  const bound = (rate.high + roundingOf(good)) * (1 + 1e-9);
  if (good <= bound) return [];
  return [
    {
      severity: 'violation',
      message: `Goodput (${figure(good)} req/s) cannot exceed the total request rate (at most ${figure(rate.high)} req/s).`,
      evidence: { goodput_req_s: good, bound, ratio: rate.high > 0 ? good / rate.high : null },
    },
  ];
}

export const a16RequestsCounted: Check = {
  id: 'A16',
  code: 'requests_miscounted',
  title,
  rule:
    'requests_ok + requests_failed = requests sent, if the artifact counts those or the load is a burst (or several of the same size); and goodput_req_s <= requests_ok / duration_s or req_s, within the rounding of the figures as written. Counts must be equal. ' +
    'Any difference is a violation. Requests without a stated outcome stay unchecked.',
  check({ result }) {
    if (result.kind !== 'serving') return 'not_applicable';
    const counted = checkCount(result);
    const goodput = checkGoodput(result);
    if (counted === null && goodput === null) return 'not_applicable';
    const doubts = [...(counted ?? []), ...(goodput ?? [])];
    return doubts.length === 0 ? 'pass' : doubts;
  },
};
