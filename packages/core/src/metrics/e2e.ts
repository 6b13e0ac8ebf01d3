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
    'How long a client waits for a complete response: queue, prompt and every output token. It depends mostly on the output length, so compare figures only at similar output lengths. A server that stops early looks fast here. For one static batch, tools print the time of the whole batch, which every request in it shares. For an offline run, LoadGen times each request from the start of the run, so the mean is often half of the run and grows with the number of requests: it is shown but not ranked.',
  prerequisites: ['similar output lengths, for a comparison'],
  needs: [],
  definitions: [
    { id: 'request', title: 'one request', group: 'request' },
    { id: 'whole_batch', title: 'one whole static batch', group: 'batch' },
    {
      id: 'from_run_start',
      title: 'one request, from the start of an offline run',
      group: 'run',
      unranked: 'It grows with the number of requests in the run.',
    },
  ],
  derived: false,
});
