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
  glossary:
    'The window that every rate of the run is divided by, from the first request sent until the last answer is complete. The ramp at either end is inside, so a brief run understates what the system does for hours. Warm-up belongs outside. Minutes are better than seconds; a run of less than ten with fewer than a hundred requests is marked as short.',
  prerequisites: [],
});

export const requestsOk = defineMetric({
  ...count,
  base: 'requests_ok',
  title: 'Requests answered',
  unit: '',
  description: 'Requests that completed. Latencies are over these only.',
  formula: 'count',
  glossary:
    'How many answers came back complete. The latencies beside it are over these only, which makes it their sample size: a 99th percentile of a hundred requests rests on one of them. A system that drops its slowest requests looks better in every latency, so read it together with the failures.',
  prerequisites: [],
});

export const requestsFailed = defineMetric({
  ...count,
  base: 'requests_failed',
  title: 'Requests failed',
  unit: '',
  direction: 'lower',
  description: 'Requests that failed, timed out or broke off. Never averaged into latencies.',
  formula: 'count',
  glossary:
    'How many requests got an error, ran out of time or lost their connection half-way. None of them is in a latency. A few are normal near saturation; many mean that the other figures describe only those who were lucky. Tools that print no count leave it unknown, which is not the same as none.',
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
    'All prompt tokens of the run taken together. Divide by the requests for the length that was really sent, which need not be the length asked for: random prompts change their length when they are tokenized again, and chat templates add to them. Part of them may have come out of a prefix cache.',
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
    "All generated tokens of the run taken together. Who counted matters: the server's usage field, a tokenizer at the client, or merely the chunks of the stream, which hold several tokens at times. Far fewer than were asked for means that answers ended early, and then latencies and request rates look better than they are.",
  prerequisites: ["tokens as the model's own tokenizer counts them"],
});
