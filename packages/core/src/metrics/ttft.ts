import { defineMetric, latencyStatistics } from './metric.ts';

export const ttft = defineMetric({
  base: 'ttft_ms',
  title: 'TTFT',
  unit: 'ms',
  direction: 'lower',
  kind: 'serving',
  statistics: latencyStatistics,
  description:
    'Time to first token: how long a user waits until the response starts. It includes queueing, prefill and the network, and grows with the prompt and the queue.',
  formula: 'time of first output token - time the request was sent',
  glossary:
    'The wait until the first output: the request is transmitted and queued, its whole prompt is processed, and the first piece of the response is returned. Longer prompts, deeper queues and cold caches raise it; prefix caching, chunked prefill and spare capacity lower it. Note when the clock starts: a load generator that starts it when the request was due counts its own delay, one that starts it on sending does not, and batch programs print the time until the slowest request of a batch, or only the prefill in their process. Compare the tail with the mean, because a queue shows in the tail first.',
  prerequisites: ['streamed responses'],
  needs: [],
  definitions: [
    { id: 'send_to_first_token', title: 'from sending the request', group: 'request' },
    { id: 'schedule_to_first_token', title: 'from the scheduled instant', group: 'schedule' },
    { id: 'last_of_batch', title: 'until the last request of a static batch had its first token', group: 'batch' },
    { id: 'prefill_only', title: 'prefill of a static batch, in process', group: 'prefill' },
  ],
  derived: false,
});
