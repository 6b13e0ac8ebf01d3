import { defineMetric, latencyStatistics } from './metric.ts';

export const itl = defineMetric({
  base: 'itl_ms',
  title: 'ITL',
  unit: 'ms',
  direction: 'lower',
  kind: 'serving',
  statistics: latencyStatistics,
  description:
    'Inter-token latency: the gap between one piece of the answer and the next, so how smooth the stream feels. Where a tool does not measure gaps, the time per output token stands in, and the row says so.',
  formula: 'every gap between successive stream chunks, pooled over all requests; else TPOT; else 1000 / user_tok_s',
  glossary:
    "How evenly an answer flows once it has begun. A client notes when each piece of the stream arrives and all gaps of all requests go into one pool, so long answers weigh more than short ones. A piece need not be one token: with speculative decoding or coalesced chunks the gaps grow while the time per token falls, so look at TPOT too. vLLM and SGLang serving benchmarks print pooled gaps under this name; GenAI-Perf prints each request's time per token. Overload stalls the stream and fills the tail.",
  prerequisites: ['answers that are streamed'],
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
