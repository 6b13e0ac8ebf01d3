import { defineMetric } from './metric.ts';

/** Figures that no result has by itself: they need a caller's word, another system, or a series of points. */
const asked = { kind: 'serving', statistics: null, definitions: [], derived: true } as const;

export const usdPerMtokOutput = defineMetric({
  ...asked,
  base: 'usd_per_mtok_output',
  title: 'Cost of a million output tokens',
  unit: '$',
  direction: 'lower',
  description: 'What a million output tokens cost in rented GPU time, at the price per GPU-hour that the caller names.',
  formula: 'gpu_usd_per_hour x GPUs / (output_tok_s x 3600) x 1e6',
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
  needs: ['ttft_ms'],
});
