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
    'Output throughput shared out over the cards, so that one card and a rack can stand in one table. Splitting a model costs communication, so the share usually falls as cards are added; a model that barely fits gains from more of them. Every GPU that took part counts, those that only read prompts included. It says nothing of price or power.',
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
    'Output tokens per joule of GPU board energy. Without a meter the power limit stands in for the power drawn, so the true figure is at least this.',
  formula: 'output tokens per second / watts (decode speed where the test has no prompt)',
  glossary:
    "How far a joule goes: output tokens over the energy the GPU boards took. Bigger batches raise it, for weights are read once for everybody; power limits often raise it too, as speed falls more slowly than watts. Without a meter we divide by the limit that was set or the board's rating, which is a floor and is labelled so. Host, fans and cooling are left out, so an electricity bill will show more.",
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
    'What the GPU boards drew on average while the load was on, all of them added up. A meter or the driver reports it; the processor, memory, fans and power supply of the host are not in it. Bursts average out, and an average that includes idle time looks frugal. Less is better only for the same work: compare tokens per joule.',
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
  description: 'How much of the speed one user had alone is left to each when many share the system; 1 is all of it.',
  formula: 'X(B) / (B x X(1)), X = output_tok_s where both runs tell it, else decode_tok_s',
  glossary:
    "What is left of one user's speed when many share the system. At 1 every newcomer gets the speed of a lone user; real systems fall, sooner with long contexts, as memory bandwidth and arithmetic are divided. It is a ratio to the system's own start, so a slow single user makes a good figure. Reports often take per-user decode speed for it, which ignores the wait for the first token; with output throughput on both sides the wait counts, and the two rank apart.",
  prerequisites: ['a run of the same system and scenario with a single user'],
  needs: ['output_tok_s', 'decode_tok_s', 'user_tok_s'],
  definitions: [
    { id: 'output_basis', title: 'by output throughput, waiting for the first token included', group: 'output' },
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
  description: 'Share of the memory bandwidth that reading weights and cache for one user takes.',
  formula: '(weights read per token + context x KV bytes per token) / tpot / (GPUs x bandwidth), one user at a time',
  glossary:
    "How near the memory runs to its rated speed while one user is served. Every token has to read the active weights and the user's cache once, and that traffic over time is set against the data sheet. Well-tuned dense models reach a half to four fifths; small or sparse ones stay lower. Above 1 something else is at work: several tokens per step, a cache on the chip, or a wrong description of the system.",
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
  description: 'Share of the dense arithmetic peak of the precision in use that the tokens of the run needed.',
  formula: '(2 x prefill parameters x input_tok_s + 2 x decode parameters x output_tok_s) / (GPUs x peak FLOP/s)',
  glossary:
    'How much of the rated arithmetic the tokens needed, counting two operations per weight and token. Long prompts in large batches bring it up; writing answers to a few users leaves it near zero, since memory is the limit there, and that is no fault. Prompts out of a prefix cache were never computed but are counted, which inflates it. It is set against the dense peak of the number format in use, not the sparse figure on the box.',
  prerequisites: [
    'the number of GPUs',
    'the GPU in the catalogue, with a peak for the number format',
    'the model in the catalogue',
  ],
  needs: ['input_tok_s', 'output_tok_s'],
  definitions: [],
  derived: true,
});
