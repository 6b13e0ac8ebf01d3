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
  needs: ['input_tok_s', 'output_tok_s'],
  definitions: [],
  derived: true,
});
