import { latencyStatistics } from '../metrics/metric.ts';
import { answer, type Check, isAbove } from './check.ts';

export const a15TtftWithinE2e: Check = {
  id: 'A15',
  code: 'ttft_above_e2e',
  title: 'The first token does not come after the last',
  rule: '',
  check({ result: { metrics } }) {
    const doubts = latencyStatistics.flatMap((statistic) => {
      const ttft = metrics[`ttft_ms_${statistic}`];
      const e2e = metrics[`e2e_ms_${statistic}`];
      if (statistic === 'sd' || ttft === undefined || e2e === undefined || !isAbove(ttft, e2e)) return [];
      return [
        {
          severity: 'violation' as const,
          message: `${statistic} TTFT (${ttft} ms) is above ${statistic} end-to-end latency (${e2e} ms).`,
          evidence: { statistic, ttft_ms: ttft, e2e_ms: e2e },
        },
      ];
    });
    return answer(doubts);
  },
};
