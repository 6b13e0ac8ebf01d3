import { defineMetric } from './metric.ts';

/** What a run consisted of: neither good nor bad, but needed to judge the rest. */
const count = {
  kind: 'serving',
  direction: 'neutral',
  statistics: null,
  definitions: [],
  derived: false,
  needs: [],
} as const;

export const durationS = defineMetric({
  ...count,
  base: 'duration_s',
  title: 'Duration',
  unit: 's',
  description: 'The measured window.',
  formula: 'last response finished - first request sent',
});

export const requestsOk = defineMetric({
  ...count,
  base: 'requests_ok',
  title: 'Requests answered',
  unit: '',
  description: 'Requests that completed. Latencies are over these only.',
  formula: 'count',
});

export const requestsFailed = defineMetric({
  ...count,
  base: 'requests_failed',
  title: 'Requests failed',
  unit: '',
  direction: 'lower',
  description: 'Requests that failed, timed out or broke off. Never averaged into latencies.',
  formula: 'count',
});

export const inputTokens = defineMetric({
  ...count,
  base: 'input_tokens',
  title: 'Input tokens',
  unit: 'tok',
  description: 'Prompt tokens of the whole run.',
  formula: 'sum over requests',
});

export const outputTokens = defineMetric({
  ...count,
  base: 'output_tokens',
  title: 'Output tokens',
  unit: 'tok',
  description: 'Generated tokens of the whole run.',
  formula: 'sum over requests',
});
