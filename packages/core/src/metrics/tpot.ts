import { defineMetric, latencyStatistics } from './metric.ts';

export const tpot = defineMetric({
  base: 'tpot_ms',
  title: 'TPOT',
  unit: 'ms',
  direction: 'lower',
  kind: 'serving',
  statistics: latencyStatistics,
  description: 'Time per output token of one request after its first token. Undefined for answers of a single token.',
  formula: '(e2e - ttft) / (output tokens - 1), per request',
  needs: [],
  definitions: [
    { id: 'without_first_token', title: '(e2e - ttft) / (n - 1)', group: 'without_first_token' },
    { id: 'with_first_token', title: 'e2e / n, the first token included', group: 'with_first_token' },
  ],
  derived: false,
});
