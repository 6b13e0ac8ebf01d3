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
  glossary:
    'How many requests the system finishes each second, failures left out. Short prompts and short answers raise it as surely as a faster GPU does, so it says something only within one workload. Under an open load that the system can follow it merely repeats the rate that was asked: push past that point to learn what the system can do.',
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
    "Generated tokens of everybody, over the whole measured window with its queueing, prompt reading and its ramp at both ends. More requests at once raise it until memory or arithmetic is used up, at the cost of each user's speed, so read it beside a latency. Names mislead: SGLang's batch benchmark prints a figure for the decode phase as output throughput, and some reports call users times per-user speed the system throughput. Both are decode speed here, since they leave prefill out.",
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
    'How many prompt tokens pass through the system each second of the whole window, mostly a mirror of the request rate and the prompt length. Cached prefixes count in full although nobody computed them. A system busy writing answers shows a low figure while its prefill is fast: for that speed see prefill speed.',
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
    "Prompt and answer tokens added up, over the whole window. Reading a token costs far less than writing one, so a long prompt inflates the sum: two workloads with unlike prompts cannot be set side by side by it, nor can it stand against output throughput. SGLang's batch benchmark prints it as overall throughput, other tools as total token throughput.",
  prerequisites: [],
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
  glossary:
    'The reading speed one user gets, from the second token on: the inverse of the time per output token. Sharing lowers it, since every step of the model serves more people; quantization, bandwidth and speculative decoding raise it. The wait for the first token is not in it, so a system may be quick here and still feel slow. A program that times itself has no network or sampling in the figure, which is why those rank apart from what a client saw.',
  prerequisites: ['how many shared the system, where it comes from decode speed'],
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
    "How quickly prompts are read. This phase is bound by arithmetic: peak FLOP/s, number format and model size decide, and attention slows it as prompts grow. llama-bench prints it as pp and times only the computation, a client's figure also holds queueing and transport, so the two rank apart. A prompt already in the prefix cache is not read at all, and speeds beyond what the card can compute usually come from there.",
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
    'Output tokens per second of all users while decoding; prefill is left out, so it is never below output throughput.',
  formula: 'sum over users of their decode speed = B / tpot',
  glossary:
    "All users' writing speeds added up while the answers stream, without the time their prompts took. It flatters: the same run's output throughput is lower, by much where prompts are long or the first token is late. SGLang's batch benchmark prints this as output throughput, inference reports as system throughput, llama-bench as tg for a single stream. Batching raises it until the arithmetic or the cache is the limit.",
  prerequisites: ['how many sequences were decoded at once'],
  needs: ['tpot_ms'],
  definitions: phaseDefinitions,
});
