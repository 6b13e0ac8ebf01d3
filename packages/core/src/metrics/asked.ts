import { defineMetric } from './metric.ts';

/** Figures that no result has by itself: they need a caller's word, another system, or a series of points. */
const asked = { kind: 'serving', statistics: null, definitions: [], derived: true } as const;

export const usdPerMtokOutput = defineMetric({
  ...asked,
  base: 'usd_per_mtok_output',
  title: 'Cost of a million output tokens',
  unit: '$',
  direction: 'lower',
  description:
    'What a million output tokens cost in rented GPU time, at the price per GPU-hour of a dated list or of the reader.',
  formula: 'price per GPU-hour x GPUs / (output_tok_s x 3600) x 1e6',
  glossary:
    'The rent of the GPUs while they write a million tokens, at the throughput that was measured. The hourly price comes from a dated list or from the reader and belongs to the answer: another provider, another order. Full load all day is assumed; a system idle half the time costs twice as much per token. Prompt tokens carry no price of their own here, so workloads with long prompts look dear.',
  prerequisites: ['a price per GPU-hour', 'the number of GPUs'],
  needs: ['output_tok_s'],
});

export const speedupVsBaseline = defineMetric({
  ...asked,
  base: 'speedup_vs_baseline',
  title: 'Speed-up',
  unit: '',
  direction: 'higher',
  description:
    'How many times as fast as a baseline system of the same GPU and model under the same scenario and load.',
  formula: 'rate / rate of the baseline; for latencies, latency of the baseline / latency',
  glossary:
    "How a system stands against one that you picked, as a factor: rates divide by the baseline's, latencies the other way round, so above 1 is always faster. It means something only where GPU, model, scenario and load are the same and a single thing differs. A weak baseline makes anything look quick, and a factor within both runs' noise is no difference.",
  prerequisites: ['a baseline system', 'the same GPU, model, scenario and load'],
  needs: [],
});

export const maxSafeQueue = defineMetric({
  ...asked,
  base: 'max_safe_queue',
  title: 'Max safe queue',
  unit: 'requests',
  direction: 'higher',
  description: 'How many requests may arrive at once before the time to first token passes a limit: an estimate.',
  formula: 'TTFT made non-decreasing over depth, then linear between the two measured depths around the limit',
  glossary:
    'How deep a burst may be before the wait for a first token passes what users tolerate. It is read off measured depths by a straight line between the two around the limit, after evening out dips, since a deeper queue never really shortens the wait. Outside what was measured it only says at least or less than. An estimate by the mean wait, so the last in the queue wait longer; another limit gives another number.',
  prerequisites: ['a limit for the time to first token', 'bursts measured at several depths'],
  needs: ['ttft_ms'],
});
