import { defineMetric } from './metric.ts';

export const outputTokSPerGpu = defineMetric({
  base: 'output_tok_s_per_gpu',
  title: 'Output throughput per GPU',
  unit: 'tok/s',
  direction: 'higher',
  kind: 'serving',
  statistics: null,
  description: 'Output throughput divided by the GPUs used, so that one card and eight can be compared.',
  formula: 'output_tok_s / gpu_count',
  glossary:
    'Output throughput divided by the number of cards, so that one card and a rack can be compared in one table. Splitting a model costs communication, so the share usually falls as cards are added; a model that barely fits gains from more of them. Every GPU in use counts, including those that only process prompts. It does not describe price or power.',
  prerequisites: ['the number of GPUs'],
  needs: ['output_tok_s'],
  definitions: [],
  derived: true,
});

export const tokPerJoule = defineMetric({
  base: 'tok_per_joule',
  title: 'Tokens per joule',
  unit: 'tok/J',
  direction: 'higher',
  kind: 'serving',
  statistics: null,
  description:
    'Output tokens per joule of GPU board energy. Without a meter, the power limit is used instead of the power drawn, so the true figure is at least this.',
  formula: 'output tokens per second / watts (decode speed where the test has no prompt)',
  glossary:
    "Output tokens divided by the energy used by the GPU boards. Larger batches raise it, because weights are read once for all requests; power limits often raise it too, because speed falls more slowly than power. Without a meter we divide by the power limit or the board's rating, which gives a lower bound and is labelled so. Host, fans and cooling are excluded, so the electricity bill is higher.",
  prerequisites: ['the number of GPUs', 'a power reading, a power limit, or the GPU in the catalogue'],
  needs: ['output_tok_s', 'decode_tok_s', 'power_w'],
  definitions: [
    { id: 'measured', title: 'by the power that was drawn', group: 'measured' },
    { id: 'at_power_limit', title: 'at the power limit that was set', group: 'at_power_limit' },
    { id: 'at_tdp', title: "at the board's rated power", group: 'at_tdp' },
  ],
  derived: true,
});

export const powerW = defineMetric({
  base: 'power_w',
  title: 'Power drawn',
  unit: 'W',
  direction: 'lower',
  kind: 'serving',
  statistics: null,
  description: 'Mean electrical power of all GPUs together while the load was on.',
  formula: 'mean board power of one GPU x GPUs, as a meter or the driver reports it',
  glossary:
    'The average power of all GPU boards together under load. A meter or the driver reports it; the CPU, memory, fans and power supply of the host are excluded. Bursts average out, and an average that includes idle time looks too low. Less is better only for the same work: compare tokens per joule.',
  prerequisites: ["a meter or the driver's readings"],
  needs: [],
  definitions: [],
  derived: false,
});

export const scalingEfficiency = defineMetric({
  base: 'scaling_efficiency',
  title: 'Scaling efficiency',
  unit: '',
  direction: 'higher',
  kind: 'serving',
  statistics: null,
  description: 'The share of single-user speed that each user keeps when many share the system; 1 is all of it.',
  formula: 'X(B) / (B x X(1)), X = output_tok_s if both runs have it, else decode_tok_s',
  glossary:
    "The share of one user's speed that remains when many share the system. At 1, every additional user gets the speed of a single user; real systems fall below 1, sooner with long contexts, because memory bandwidth and arithmetic are divided. It is relative to the system's own single-user speed, so a slow single user gives a good figure. Reports often use per-user decode speed, which ignores the wait for the first token; with output throughput on both sides the wait counts, and the two are ranked separately.",
  prerequisites: ['a run of the same system and scenario with a single user'],
  needs: ['output_tok_s', 'decode_tok_s', 'user_tok_s'],
  definitions: [
    { id: 'output_basis', title: 'by output throughput, including the wait for the first token', group: 'output' },
    { id: 'decode_basis', title: 'by decode speed', group: 'decode' },
  ],
  derived: true,
});

export const mbu = defineMetric({
  base: 'mbu',
  title: 'Memory bandwidth utilisation',
  unit: '',
  direction: 'higher',
  kind: 'serving',
  statistics: null,
  description: 'Share of the memory bandwidth used to read weights and cache for one user.',
  formula: '(weights read per token + context x KV bytes per token) / tpot / (GPUs x bandwidth), one user at a time',
  glossary:
    "How close the memory comes to its rated speed for a single user. Every token reads the active weights and the user's cache once; this traffic per second is compared with the data sheet. Well-tuned dense models reach 50 to 80 %; small or sparse ones stay lower. A value above 1 has another cause: several tokens per step, an on-chip cache, or a wrong description of the system.",
  prerequisites: [
    'one user at a time',
    'the number of GPUs',
    'the GPU in the catalogue',
    'the model in the catalogue',
    'bits per weight of the quantization',
  ],
  needs: ['tpot_ms', 'user_tok_s'],
  definitions: [],
  derived: true,
});

export const mfu = defineMetric({
  base: 'mfu',
  title: 'Compute utilisation',
  unit: '',
  direction: 'higher',
  kind: 'serving',
  statistics: null,
  description: 'Share of the dense arithmetic peak (at the precision in use) that the tokens of the run needed.',
  formula: '(2 x prefill parameters x input_tok_s + 2 x decode parameters x output_tok_s) / (GPUs x peak FLOP/s)',
  glossary:
    'How much of the rated arithmetic the tokens needed, at two operations per weight and token. Long prompts in large batches raise it. Decoding for a few users leaves it near zero, because memory is the limit there, which is normal. Prompts from a prefix cache are counted although they were not computed, which inflates it. The reference is the dense peak of the number format in use, not the advertised sparse figure.',
  prerequisites: [
    'the number of GPUs',
    'the GPU in the catalogue, with a peak for the number format',
    'the model in the catalogue',
  ],
  needs: ['input_tok_s', 'output_tok_s'],
  definitions: [],
  derived: true,
});
