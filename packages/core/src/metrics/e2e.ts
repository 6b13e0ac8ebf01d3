import { defineMetric, latencyStatistics } from './metric.ts';

export const e2e = defineMetric({
  base: 'e2e_ms',
  title: 'E2E latency',
  unit: 'ms',
  direction: 'lower',
  kind: 'serving',
  statistics: latencyStatistics,
  description: 'End-to-end latency: from sending a request to the last token of its response.',
  formula: 'time of last output token - time the request was sent',
  glossary:
    'How long a client waits for a complete response: queue, prompt and every output token. It depends mostly on the output length, so compare figures only at similar output lengths. A server that stops early looks fast here. A tool that runs one static batch prints the time of the whole batch, which every request in it shares; that is a separate definition from the latency of a single request.',
  prerequisites: ['similar output lengths, for a comparison'],
  needs: [],
  definitions: [
    { id: 'request', title: 'one request', group: 'request' },
    { id: 'whole_batch', title: 'one whole static batch', group: 'batch' },
  ],
  derived: false,
});
