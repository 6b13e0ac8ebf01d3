import { type Check, figure, unchecked } from '../check.ts';

const title = 'Requests succeed';
const infoShare = 0.01;
const warningShare = 0.05;

export const r4ErrorRate: Check = {
  id: 'R4',
  code: 'error_rate',
  title,
  rule:
    'failed / (succeeded + failed) may be at most 1 %. More is an info, more than 5 % a warning: latencies cover only the successful requests, and failed ones reduce the load. ' +
    'Needs requests_failed and requests_ok, as stated or counted from the records.',
  check({ result: { kind, metrics } }) {
    const { requests_failed: failed, requests_ok: ok } = metrics;
    if (kind !== 'serving' || failed === undefined) return 'not_applicable';
    if (ok === undefined) return unchecked(title, ['requests_ok']);
    const all = ok + failed;
    const share = failed / all;
    if (all === 0) return 'not_applicable';
    if (share <= infoShare) return 'pass';
    return [
      {
        severity: share > warningShare ? 'warning' : 'info',
        message: `${figure(failed)} of ${figure(all)} requests failed (${figure(share * 100)} %); latencies cover only the others.`,
        evidence: { requests_failed: failed, requests_ok: ok, ratio: share },
      },
    ];
  },
};
