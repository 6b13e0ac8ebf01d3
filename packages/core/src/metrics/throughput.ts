import { defineMetric } from './metric.ts';

/** Rates of the whole system over the measured window, and of its two phases. */
const rate = { kind: 'serving', direction: 'higher', statistics: null, derived: false } as const;

/** Rates of a phase: a client can see them, or the program that computes can time itself. These are not the same. */
const phaseDefinitions = [
  { id: 'client', title: 'seen by a client or from the batch as a whole', group: 'client' },
  { id: 'in_process', title: 'timed inside the program: no server, sampling or network', group: 'in_process' },
] as const;

export const reqS = defineMetric({
  ...rate,
  base: 'req_s',
  title: 'Requests',
  unit: 'req/s',
  description: 'Requests answered per second of the measured window.',
  formula: 'requests_ok / duration_s',
  needs: ['requests_ok', 'duration_s'],
  definitions: [],
});

export const outputTokS = defineMetric({
  ...rate,
  base: 'output_tok_s',
  title: 'Output throughput',
  unit: 'tok/s',
  description: 'Output tokens of all users per second of the measured window, prefill and queueing included.',
  formula: 'output_tokens / duration_s; for one static batch B x output tokens / latency',
  needs: ['output_tokens', 'duration_s'],
  definitions: [],
});

export const inputTokS = defineMetric({
  ...rate,
  base: 'input_tok_s',
  title: 'Input throughput',
  unit: 'tok/s',
  description: 'Input tokens of all users per second of the measured window. Not a prefill speed.',
  formula: 'input_tokens / duration_s',
  needs: ['input_tokens', 'duration_s'],
  definitions: [],
});

export const totalTokS = defineMetric({
  ...rate,
  base: 'total_tok_s',
  title: 'Total throughput',
  unit: 'tok/s',
  description:
    'Input and output tokens together per second. Long prompts make it large; never compare it with output throughput.',
  formula: '(input_tokens + output_tokens) / duration_s',
  needs: ['input_tokens', 'output_tokens', 'duration_s'],
  definitions: [],
});

export const userTokS = defineMetric({
  ...rate,
  base: 'user_tok_s',
  title: 'Per-user speed',
  unit: 'tok/s',
  description: 'Decode speed that one user sees while the answer streams.',
  formula: '1000 / tpot_ms; for a static batch decode_tok_s / B',
  needs: ['tpot_ms', 'decode_tok_s'],
  definitions: phaseDefinitions,
});

export const prefillTokS = defineMetric({
  ...rate,
  base: 'prefill_tok_s',
  title: 'Prefill speed',
  unit: 'tok/s',
  description: 'Prompt tokens processed per second while prefilling.',
  formula: 'input tokens / prefill time',
  needs: [],
  definitions: phaseDefinitions,
});

export const decodeTokS = defineMetric({
  ...rate,
  base: 'decode_tok_s',
  title: 'Decode speed',
  unit: 'tok/s',
  description:
    'Output tokens per second of all users while decoding; prefill is left out, so it is never below output throughput.',
  formula: 'sum over users of their decode speed = B / tpot',
  needs: [],
  definitions: phaseDefinitions,
});
