import { findFamily, onRequestFamilies } from '@inferboard/core/metrics/index';
import type { MetricFamily } from '@inferboard/core/metrics/metric';

/** A glossary term of the report. */
export interface Term {
  /** Id of its anchor, without the prefix `term-`. */
  id: string;
  name: string;
  /** Its category. */
  sort: string;
  text: string;
  formula: string | null;
}

/** Terms that are not metrics. */
const concepts: readonly Term[] = [
  {
    id: 'context',
    name: 'Context length',
    sort: 'input',
    text: 'Tokens sent with a request: instructions, history, retrieved passages and the question. All of them are read before the first token of the answer.',
    formula: null,
  },
  {
    id: 'prefill',
    name: 'Prefill',
    sort: 'phase',
    text: 'Reading the prompt and filling the key-value cache. The work grows with the context and determines how long the first token takes.',
    formula: null,
  },
  {
    id: 'decode',
    name: 'Decode',
    sort: 'phase',
    text: 'Generating the answer, one token at a time for each sequence. Every step reads the weights and the cache, so memory bandwidth is the limit.',
    formula: null,
  },
  {
    id: 'concurrency',
    name: 'Concurrency, batch',
    sort: 'load',
    text: 'Requests that are served at the same time. A higher number increases total throughput and lowers the speed of each request.',
    formula: null,
  },
  {
    id: 'burst',
    name: 'Queue depth',
    sort: 'load',
    text: 'Requests that arrive at the same moment. Those that the engine cannot start immediately wait, and the wait is part of their TTFT.',
    formula: null,
  },
  {
    id: 'roofline',
    name: 'Roofline',
    sort: 'bound',
    text: 'The speed if each step only read its weights and caches at full memory bandwidth, or only multiplied at the full rate, whichever takes longer. This hardware cannot be faster.',
    formula: 'steps x sequences / max(bytes / bandwidth, operations / rate), per sequence',
  },
];

const families = [
  'ttft_ms',
  'itl_ms',
  'user_tok_s',
  'decode_tok_s',
  'output_tok_s',
  'scaling_efficiency',
  'e2e_ms',
  'max_safe_queue',
  'prefill_tok_s',
] as const;

function ofFamily({ base, title, unit, description, formula, derived }: MetricFamily): Term {
  return {
    id: base,
    name: title,
    sort: [unit, derived ? 'computed here' : 'measured'].filter((part) => part !== '').join(', '),
    text: description,
    formula,
  };
}

/** The terms of a report: the most important first, then the metrics. */
export const reportTerms: readonly Term[] = [
  ...concepts.slice(0, 5),
  ...families.flatMap((base) => {
    const family = findFamily(base) ?? onRequestFamilies.find((asked) => asked.base === base) ?? null;
    return family === null ? [] : [ofFamily(family)];
  }),
  ...concepts.slice(5),
];
