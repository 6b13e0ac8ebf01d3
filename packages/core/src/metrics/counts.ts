import { defineMetric } from './metric.ts';

/** The content of a run: neither good nor bad, but needed to interpret the other figures. */
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
  glossary:
    'The window that every rate of the run is divided by, from the first request sent until the last response is complete. The ramp at both ends is included, so a brief run understates sustained performance. Warm-up should be excluded. Minutes are better than seconds: a run of less than ten seconds with fewer than a hundred requests is marked as short.',
  prerequisites: [],
});

export const requestsOk = defineMetric({
  ...count,
  base: 'requests_ok',
  title: 'Requests answered',
  unit: '',
  description: 'Requests that completed. Latencies cover only these.',
  formula: 'count',
  glossary:
    'The number of complete responses. Latencies cover only these, so this is their sample size: a 99th percentile of a hundred requests depends on one of them. A system that drops its slowest requests looks better in every latency, so read it together with the failures.',
  prerequisites: [],
});

export const requestsFailed = defineMetric({
  ...count,
  base: 'requests_failed',
  title: 'Requests failed',
  unit: '',
  direction: 'lower',
  description: 'Requests that failed, timed out or were interrupted. Never included in latencies.',
  formula: 'count',
  glossary:
    'The number of requests that got an error, timed out or lost their connection. They are excluded from latencies. A few are normal near saturation. If there are many, the other figures describe only the requests that succeeded. For tools that print no count it is unknown, which is different from zero.',
  prerequisites: ['a tool that counts failures'],
});

export const inputTokens = defineMetric({
  ...count,
  base: 'input_tokens',
  title: 'Input tokens',
  unit: 'tok',
  description: 'Prompt tokens of the whole run.',
  formula: 'sum over requests',
  glossary:
    'All prompt tokens of the run taken together. Divide by the number of requests to get the actual length, which may differ from the requested length: random prompts change their length when they are tokenized again, and chat templates add tokens. Part of them may have come from a prefix cache.',
  prerequisites: ["tokens as the model's own tokenizer counts them"],
});

export const outputTokens = defineMetric({
  ...count,
  base: 'output_tokens',
  title: 'Output tokens',
  unit: 'tok',
  description: 'Generated tokens of the whole run.',
  formula: 'sum over requests',
  glossary:
    "All generated tokens of the run taken together. The source of the count matters: the server's usage field, a tokenizer at the client, or only the chunks of the stream, which can contain several tokens. If there are far fewer than requested, responses ended early, and latencies and request rates look better than they are.",
  prerequisites: ["tokens as the model's own tokenizer counts them"],
});
