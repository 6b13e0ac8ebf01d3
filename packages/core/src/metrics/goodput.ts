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
  needs: [],
  definitions: [],
  derived: false,
});
