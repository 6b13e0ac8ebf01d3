import { defineMetric } from './metric.ts';

/** Rates of the whole system over the measured window, and of prefill and decode. */
const rate = { kind: 'serving', direction: 'higher', statistics: null, derived: false } as const;

/** Rates of a phase, measured by a client or by the timing of the program itself. The two differ. */
const phaseDefinitions = [
  { id: 'client', title: 'seen by a client or from the batch as a whole', group: 'client' },
  { id: 'in_process', title: 'timed inside the program: no server, sampling or network', group: 'in_process' },
] as const;

export const reqS = defineMetric({
  ...rate,
  base: 'req_s',
  title: 'Requests',
  unit: 'req/s',
  description: 'Requests completed per second of the measured window.',
  formula: 'requests_ok / duration_s',
  glossary:
    'How many requests the system completes per second, excluding failures. Short prompts and short responses raise it as much as a faster GPU does, so compare it only within one workload. Under an open load that the system can sustain, it equals the requested rate: raise the rate to find the limit of the system.',
  prerequisites: [],
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
  glossary:
    "Generated tokens of all users, over the whole measured window including queueing, prompt processing and the ramp at both ends. More concurrent requests raise it until memory or arithmetic is used up, at the cost of each user's speed, so read it together with a latency. Tools use the name differently: SGLang's batch benchmark prints a figure for the decode phase as output throughput, and some reports use system throughput for the number of users times per-user speed. Both are decode speed here, because they exclude prefill.",
  prerequisites: ["tokens as the model's own tokenizer counts them"],
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
  glossary:
    'How many prompt tokens the system processes per second of the whole window. It mostly follows the request rate and the prompt length. Cached prefixes count in full although they were not computed. A system that is busy decoding shows a low figure even if its prefill is fast: see prefill speed.',
  prerequisites: [],
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
  glossary:
    "Prompt and output tokens added up, over the whole window. Reading a token costs far less than generating one, so a long prompt inflates the sum: do not use it to compare workloads with different prompts, and do not compare it with output throughput. SGLang's batch benchmark prints it as overall throughput, other tools as total token throughput.",
  prerequisites: [],
  needs: ['input_tokens', 'output_tokens', 'duration_s'],
  definitions: [],
});

export const userTokS = defineMetric({
  ...rate,
  base: 'user_tok_s',
  title: 'Per-user speed',
  unit: 'tok/s',
  description: 'Decode speed for one user while the response streams.',
  formula: '1000 / tpot_ms; for a static batch decode_tok_s / B',
  glossary:
    'The token rate for one user from the second token on: the inverse of the time per output token. Sharing lowers it, because every step of the model serves more users; quantization, bandwidth and speculative decoding raise it. It excludes the wait for the first token, so a system can be fast here and still feel slow. A program that times itself excludes network and sampling, so its figures are ranked separately from those of a client.',
  prerequisites: ['the number of users, if it is computed from decode speed'],
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
  glossary:
    "How fast prompts are processed. This phase is limited by arithmetic: peak FLOP/s, number format and model size determine it, and attention slows it as prompts grow. llama-bench prints it as pp and times only the computation; a client's figure also includes queueing and transport, so the two are ranked separately. A prompt in the prefix cache is not computed at all, and speeds above the limit of the card usually come from there.",
  prerequisites: ['prompt tokens that were computed, not taken from a cache'],
  needs: [],
  definitions: phaseDefinitions,
});

export const decodeTokS = defineMetric({
  ...rate,
  base: 'decode_tok_s',
  title: 'Decode speed',
  unit: 'tok/s',
  description:
    'Output tokens per second of all users while decoding. It excludes prefill, so it is never below output throughput.',
  formula: 'sum over users of their decode speed = B / tpot',
  glossary:
    "The sum of all users' decode speeds while responses stream, without the time for their prompts. The output throughput of the same run is lower, and much lower if prompts are long or the first token is late. SGLang's batch benchmark prints this as output throughput, inference reports as system throughput, llama-bench as tg for a single stream. Batching raises it until the arithmetic or the cache is the limit.",
  prerequisites: ['how many sequences were decoded at once'],
  needs: ['tpot_ms'],
  definitions: phaseDefinitions,
});
