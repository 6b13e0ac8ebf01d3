import { defineMetric } from './metric.ts';

/** Figures that no single result has: they require a caller's input, another system, or a series of points. */
const onRequest = { kind: 'serving', statistics: null, definitions: [], derived: true } as const;

export const usdPerMtokOutput = defineMetric({
  ...onRequest,
  base: 'usd_per_mtok_output',
  title: 'Cost of a million output tokens',
  unit: '$',
  direction: 'lower',
  description:
    'Cost of a million output tokens in rented GPU time, at the price per GPU-hour of a dated list or of the user.',
  formula: 'price per GPU-hour x GPUs / (output_tok_s x 3600) x 1e6',
  glossary:
    'The rent of the GPUs while they generate a million tokens, at the measured throughput. The hourly price comes from a dated list or from the user and is part of the response: other prices give other rankings. Full load all day is assumed; a system that is idle half the time costs twice as much per token. Prompt tokens have no separate price here, so workloads with long prompts look expensive.',
  prerequisites: ['a price per GPU-hour', 'the number of GPUs'],
  needs: ['output_tok_s'],
});

export const speedupVsBaseline = defineMetric({
  ...onRequest,
  base: 'speedup_vs_baseline',
  title: 'Speed-up',
  unit: '',
  direction: 'higher',
  description: 'Speed relative to a baseline system with the same GPU and model under the same scenario and load.',
  formula: 'rate / rate of the baseline; for latencies, latency of the baseline / latency',
  glossary:
    "Compares a system with a baseline that you choose, as a factor: rates are divided by the baseline's, latencies are inverted, so above 1 is always faster. It is meaningful only if GPU, model, scenario and load are the same and one other fact differs. A weak baseline makes any system look fast, and a factor within the noise of both runs is not a difference.",
  prerequisites: ['a baseline system', 'the same GPU, model, scenario and load'],
  needs: [],
});

export const maxSafeQueue = defineMetric({
  ...onRequest,
  base: 'max_safe_queue',
  title: 'Max safe queue',
  unit: 'requests',
  direction: 'higher',
  description: 'Estimate of how many requests may arrive at once before the time to first token exceeds a limit.',
  formula: 'TTFT made non-decreasing over depth, then linear between the two measured depths around the limit',
  glossary:
    'How deep a burst may be before the wait for the first token exceeds a limit that users tolerate; another limit gives another number. It is interpolated linearly between the two measured depths around the limit. Dips are evened out first, because a deeper queue never really shortens the wait. Outside the measured depths it only states at least or less than. The estimate uses the mean wait, so the last requests in the queue wait longer.',
  prerequisites: ['a limit for the time to first token', 'bursts measured at several depths'],
  needs: ['ttft_ms'],
});
