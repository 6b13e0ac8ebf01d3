import { defineMetric } from './metric.ts';

export const goodput = defineMetric({
  base: 'goodput_req_s',
  title: 'Goodput',
  unit: 'req/s',
  direction: 'higher',
  kind: 'serving',
  statistics: null,
  description: 'Requests per second that met every stated latency limit at once.',
  formula: 'requests meeting every limit / duration_s',
  glossary:
    'Throughput that counts only acceptable requests: each must meet all limits, for example on first token and time per token. It drops sharply at loads where plain throughput still rises, which makes it useful for sizing. The limits are part of the figure: values under different limits are not comparable, so rows show theirs. A request that misses one limit by any amount is excluded.',
  prerequisites: ['the latency limits', 'records of each request, or a tool that counted them'],
  needs: [],
  definitions: [],
  derived: false,
});
