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
    'Throughput that counts only the requests somebody would have been content with: each must keep all of the limits, say on first token and on time per token. It falls off a cliff where plain throughput still climbs, which is what makes it useful for sizing. The limits are half of the figure: numbers under different limits are not comparable, so rows show theirs. One limit missed by a hair excludes a request whole.',
  prerequisites: ['the latency limits', 'records of each request, or a tool that judged them itself'],
  needs: [],
  definitions: [],
  derived: false,
});
