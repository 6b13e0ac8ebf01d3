import { defineMetric, latencyStatistics } from './metric.ts';

export const tpot = defineMetric({
  base: 'tpot_ms',
  title: 'TPOT',
  unit: 'ms',
  direction: 'lower',
  kind: 'serving',
  statistics: latencyStatistics,
  description: 'Time per output token of one request after its first token. Undefined for answers of a single token.',
  formula: '(e2e - ttft) / (output tokens - 1), per request',
  glossary:
    "The pace of an answer after its first token: each request's streaming time is shared out over its remaining tokens, and the statistics are over requests, a short answer counting as much as a long one. Larger batches, longer contexts and heavier weights slow it; bandwidth, quantization and speculative decoding speed it up. It hides stalls, since a pause and a sprint average out: see ITL for those. GenAI-Perf calls this quantity inter-token latency, and some programs divide the whole latency by all tokens, which mixes the first wait in.",
  prerequisites: ['answers of two tokens or more', "tokens as the model's own tokenizer counts them"],
  needs: [],
  definitions: [
    { id: 'without_first_token', title: '(e2e - ttft) / (n - 1)', group: 'without_first_token' },
    { id: 'with_first_token', title: 'e2e / n, the first token included', group: 'with_first_token' },
  ],
  derived: false,
});
