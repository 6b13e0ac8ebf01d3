import type { MetricName } from '../../metrics/index.ts';
import { latencyStatistics } from '../../metrics/metric.ts';
import { type Check, type Doubt, isAbove, unchecked } from '../check.ts';

const title = 'The first token does not come after the last';

/** Each statistic of both latencies except the deviation. */
const pairs = latencyStatistics
  .filter((statistic) => statistic !== 'sd')
  .map((statistic): { statistic: string; ttftName: MetricName; e2eName: MetricName } => ({
    statistic,
    ttftName: `ttft_ms_${statistic}`,
    e2eName: `e2e_ms_${statistic}`,
  }));

export const a15TtftWithinE2e: Check = {
  id: 'A15',
  code: 'ttft_above_e2e',
  title,
  rule:
    'Mean, minimum, maximum and every percentile of TTFT are at most the same statistic of E2E latency, within the rounding of the two figures as written: each request has its first token before its last. Needs both for a statistic, and a TTFT with the same start as the E2E latency; a TTFT from a scheduled instant stays unchecked. ' +
    'A higher value is a violation.',
  check({ result: { metrics, definitions } }) {
    const doubts: Doubt[] = [];
    let isJudged = false;
    for (const { statistic, ttftName, e2eName } of pairs) {
      const ttft = metrics[ttftName];
      const e2e = metrics[e2eName];
      if (ttft === undefined || e2e === undefined) continue;
      isJudged = true;
      if (ttft <= e2e || !isAbove(ttft, e2e)) continue;
      doubts.push({
        severity: 'violation',
        message: `${statistic} TTFT (${ttft} ms) is above ${statistic} end-to-end latency (${e2e} ms).`,
        evidence: { statistic, ttft_ms: ttft, e2e_ms: e2e },
      });
    }
    if (!isJudged) return 'not_applicable';
    if (definitions.ttft_ms === 'schedule_to_first_token') return unchecked(title, ['TTFT from sending the request']);
    return doubts.length === 0 ? 'pass' : doubts;
  },
};
