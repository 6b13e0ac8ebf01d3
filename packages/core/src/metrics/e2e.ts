import { defineMetric, latencyStatistics } from './metric.ts';

export const e2e = defineMetric({
  base: 'e2e_ms',
  title: 'E2E latency',
  unit: 'ms',
  direction: 'lower',
  kind: 'serving',
  statistics: latencyStatistics,
  description: 'End-to-end latency: from sending a request to the last token of its answer.',
  formula: 'time of last output token - time the request was sent',
  needs: [],
  definitions: [
    { id: 'request', title: 'one request', group: 'request' },
    { id: 'whole_batch', title: 'one whole static batch', group: 'batch' },
  ],
  derived: false,
});
