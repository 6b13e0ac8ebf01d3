import { askedFamilies, findFamily } from '@inferboard/core/metrics/index';
import type { MetricFamily } from '@inferboard/core/metrics/metric';

/** A word of the report. */
export interface Term {
  /** Anchor on the page: `term-` and this. */
  id: string;
  name: string;
  /** What sort of thing it is. */
  sort: string;
  text: string;
  formula: string | null;
}

/** Words that are no metric. */
const concepts: readonly Term[] = [
  {
    id: 'context',
    name: 'Context length',
    sort: 'input',
    text: 'Tokens that come with a request: instructions, history, retrieved passages and the question. All of them are read before the first token of the answer.',
    formula: null,
  },
  {
    id: 'prefill',
    name: 'Prefill',
    sort: 'phase',
    text: 'Reading the prompt and filling the cache of keys and values. Its work grows with the context, so it decides how long the first token takes.',
    formula: null,
  },
  {
    id: 'decode',
    name: 'Decode',
    sort: 'phase',
    text: 'Writing the answer, a token at a time for each sequence. Every step reads the weights and the cache, so memory bandwidth decides.',
    formula: null,
  },
  {
    id: 'concurrency',
    name: 'Concurrency, batch',
    sort: 'load',
    text: 'Requests that are served at the same time. More of them raise what all get together and lower what each gets.',
    formula: null,
  },
  {
    id: 'burst',
    name: 'Queue depth',
    sort: 'load',
    text: 'Requests that arrive at the same moment. Those that the engine cannot take at once wait, and their wait is part of their TTFT.',
    formula: null,
  },
  {
    id: 'roofline',
    name: 'Roofline',
    sort: 'bound',
    text: 'The speed at which one step would only read its weights and caches at the full bandwidth of the memory, or only multiply at the full rate, whichever takes longer. Nothing served by this hardware is faster.',
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

/** The words that a report uses, what is asked first and the metrics after. */
export const reportTerms: readonly Term[] = [
  ...concepts.slice(0, 5),
  ...families.flatMap((base) => {
    const family = findFamily(base) ?? askedFamilies.find((asked) => asked.base === base) ?? null;
    return family === null ? [] : [ofFamily(family)];
  }),
  ...concepts.slice(5),
];
