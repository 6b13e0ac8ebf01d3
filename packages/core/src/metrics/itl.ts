import { defineMetric, latencyStatistics } from './metric.ts';

export const itl = defineMetric({
  base: 'itl_ms',
  title: 'ITL',
  unit: 'ms',
  direction: 'lower',
  kind: 'serving',
  statistics: latencyStatistics,
  description:
    'Inter-token latency: the gap between successive pieces of the response, which determines how smooth the stream feels. If a tool does not measure gaps, the time per output token is used, and the row states this.',
  formula: 'every gap between successive stream chunks, pooled over all requests; else TPOT; else 1000 / user_tok_s',
  glossary:
    "How evenly a response streams once it has started. A client records when each piece of the stream arrives and pools the gaps of all requests, so long responses weigh more than short ones. A piece may be more than one token: with speculative decoding or merged chunks the gaps grow while the time per token falls, so look at TPOT too. vLLM and SGLang serving benchmarks print pooled gaps under this name; GenAI-Perf prints each request's time per token. Overload stalls the stream and increases the tail.",
  prerequisites: ['streamed responses'],
  needs: ['tpot_ms', 'user_tok_s'],
  definitions: [
    { id: 'per_token', title: 'gap between tokens', group: 'smoothness' },
    { id: 'per_chunk', title: 'gap between stream chunks', group: 'smoothness' },
    { id: 'from_tpot', title: 'time per output token, gaps were not measured', group: 'smoothness' },
    { id: 'from_user_tok_s', title: '1000 / per-user speed, gaps were not measured', group: 'smoothness' },
    { id: 'not_stated', title: 'gaps as the submitter measured them', group: 'smoothness' },
  ],
  derived: false,
});
