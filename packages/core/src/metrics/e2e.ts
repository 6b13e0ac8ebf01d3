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
  glossary:
    "What a caller waits for a finished answer: queue, prompt and every token of the reply. It grows with the answer's length first of all, so two figures compare only at like output lengths. A server that stops early looks fast here. A tool that runs one static batch prints the time of the batch as a whole, which every request in it shares; that is kept apart from the latency of a single request.",
  prerequisites: ['like output lengths, for a comparison'],
  needs: [],
  definitions: [
    { id: 'request', title: 'one request', group: 'request' },
    { id: 'whole_batch', title: 'one whole static batch', group: 'batch' },
  ],
  derived: false,
});
