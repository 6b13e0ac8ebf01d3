import { defineMetric, latencyStatistics } from './metric.ts';

export const tpot = defineMetric({
  base: 'tpot_ms',
  title: 'TPOT',
  unit: 'ms',
  direction: 'lower',
  kind: 'serving',
  statistics: latencyStatistics,
  description: 'Time per output token of one request after its first token. Undefined for responses of a single token.',
  formula: '(e2e - ttft) / (output tokens - 1), per request',
  glossary:
    "The speed of a response after its first token: each request's streaming time is divided by its remaining tokens, and the statistics are over requests, so a short response counts as much as a long one. Larger batches, longer contexts and larger weights increase it; bandwidth, quantization and speculative decoding reduce it. It hides stalls, because slow and fast phases average out: see ITL for those. GenAI-Perf calls this quantity inter-token latency, and some programs divide the whole latency by all tokens, which includes the wait for the first token.",
  prerequisites: ['responses of two tokens or more', "tokens as the model's own tokenizer counts them"],
  needs: [],
  definitions: [
    { id: 'without_first_token', title: '(e2e - ttft) / (output tokens - 1)', group: 'without_first_token' },
    { id: 'with_first_token', title: 'e2e / output tokens, including the first token', group: 'with_first_token' },
  ],
  derived: false,
});
