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
  needs: ['output_tok_s', 'decode_tok_s'],
  definitions: [
    { id: 'at_power_limit', title: 'at the power limit that was set', group: 'at_power_limit' },
    { id: 'at_tdp', title: "at the board's rated power", group: 'at_tdp' },
  ],
  derived: true,
});
