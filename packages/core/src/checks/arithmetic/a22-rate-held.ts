import { type Check, figure } from '../check.ts';

const tolerance = 0.1;
/** Arrivals vary. Chance practically never explains more than four standard deviations of their number. */
const deviations = 4;

export const a22RateHeld: Check = {
  id: 'A22',
  code: 'rate_exceeded',
  title: 'No more requests end per second than the requested rate sends',
  rule:
    'For an open-loop rate, requests ended / duration_s is at most 1.1 x level / (1 - 4 / sqrt(requests x burstiness)): the divisor allows for chance in the arrivals. ' +
    'Burstiness above 1 counts as 1; 16 requests or fewer have no limit. ' +
    'A higher rate is a violation: the requests were not sent at the stated rate. Not applied to conversations, whose later turns follow responses.',
  check({ result: { kind, load, metrics, extra } }) {
    if (kind !== 'serving' || load.mode !== 'rate' || extra.multi_turn === true) return 'not_applicable';
    const { requests_ok: ok, requests_failed: failed = 0, duration_s: seconds } = metrics;
    if (ok === undefined || seconds === undefined) return 'not_applicable';
    const served = (ok + failed) / seconds;
    const chance = 1 - deviations / Math.sqrt((ok + failed) * Math.min(1, load.burstiness ?? 1));
    if (chance <= 0) return 'pass';
    const bound = ((1 + tolerance) * load.level) / chance;
    if (served <= bound) return 'pass';
    return [
      {
        severity: 'violation',
        message: `${figure(load.level)} requests per second were requested, but ${figure(served)} ended: the requests were not sent at this rate.`,
        evidence: { asked_req_s: load.level, achieved_req_s: served, bound, ratio: served / load.level },
      },
    ];
  },
};
