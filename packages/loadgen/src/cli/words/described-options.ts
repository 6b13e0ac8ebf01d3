import { namedPlans } from '@inferboard/core/plans/named-plans';
import { capacityOptions } from '../../capacity/options.ts';
import { againstOptions } from '../../compare-servers/options.ts';
import { allEndpoints } from '../../prompts/body.ts';
import { distributionForms } from '../../traffic/lengths.ts';
import { describedTraffic } from '../traffic/described.ts';

/** What each option is, for `--help`. */
export const described = {
  url: 'base URL of the server, with or without /v1',
  model: 'name of the model on the server; default: the first that it lists',
  scenario: 'workload of the catalogue, such as chatbot (the default)',
  'input-tokens': `prompt tokens of a custom workload: ${distributionForms}`,
  'output-tokens': 'output tokens of a custom workload, in the same forms',
  concurrency: 'requests in flight, such as 1,2,4',
  burst: 'requests at once, such as 8,64',
  rate: 'requests per second, such as 10,50; Poisson arrivals',
  plan: `a named plan in place of a workload and loads: ${namedPlans.map(({ id }) => id).join(', ')}`,
  dataset: 'locations of data sets, such as sharegpt=FILE,numina-math=URL',
  requests:
    'requests of each point; a burst sends as many as its level; default: 1000 at a rate, 4 for each user and at least 16 at a concurrency',
  warmup: 'requests before each point that are not measured; default: as many as are in flight, at most 8; 8 at a rate',
  repetitions: 'how often each point is measured',
  ...capacityOptions,
  ...againstOptions,
  seed: 'seed of prompts and arrivals; default: random, and printed',
  salt: 'text that makes the beginnings of prompts fresh; with the seed and salt of a report, the same prompts are sent; default: random',
  'duration-s': 'maximum seconds of sending, over all points, without warm-ups: no point starts after that time',
  'max-errors':
    'consecutive failures of a server, over all points, that end the measurement; default: 20, 0 never ends it',
  endpoint: `${allEndpoints.join(', ')}; default: what the server supports, chat before completions`,
  engine:
    'serving software: selects the engine-specific fields to send, and is reported; default: what the server states',
  'engine-version': 'its version, reported',
  gpu: 'GPU by name, reported',
  'gpu-count': 'how many, reported',
  'gpu-power-limit-w': 'power limit of each in watts, reported',
  quantization: 'weight format, reported',
  'tensor-parallel': 'tensor-parallel width, reported',
  'unknown-facts': 'keep: measures even if a GPU, engine or quantization is not in the catalogue',
  'api-key-env': "name of the environment variable with the server's credential",
  out: 'file for the records, one point per line; default: inferboard-TIME.jsonl',
  workers:
    'threads that share the requests of each point, on one clock and one schedule; default: 1, which is enough below 80000 events/s',
  realtime: 'gives the threads that measure priority over other programs: Linux, as root or with ulimit -r 10',
  'metrics-url': "URL of the server's Prometheus metrics, such as http://127.0.0.1:8000/metrics",
  'metrics-hz': 'reads per second, 1 to 10; default: 2',
  probe: 'all, or numbers such as 0,1: GPUs of this machine whose power and clocks are read ten times a second',
  weights:
    'file of the weights, such as model.gguf: its SHA-256 is reported; default: the GGUF file of llama.cpp on this machine; none reports no SHA-256',
  records: 'file for every request as a row of CSV',
  report: 'file for a report in HTML, with tables and charts',
  json: 'prints the figures as one JSON document instead of tables',
  resume: 'file of records of a measurement that ended early: measures the rest with the same options; repeat --header',
  submit: 'URL of an Inferboard service to send the records to',
  'submit-key-env':
    'name of the environment variable with its key; default: INFERBOARD_KEY, then the key of inferboard login',
  ...describedTraffic,
} as const;

export type OptionName = keyof typeof described;

/** The options by subject, in the order of `--help`. */
export const optionGroups: readonly (readonly [title: string, names: readonly OptionName[]])[] = [
  ['Server', ['url', 'model', 'models', 'endpoint', 'api-key-env', 'header', 'extra-body']],
  [
    'Load',
    [
      ...(['concurrency', 'burst', 'rate', 'ramp', 'burstiness', 'max-concurrency', 'requests', 'warmup'] as const),
      ...(['repetitions', 'duration-s', 'max-errors', 'plan'] as const),
    ],
  ],
  [
    'Prompts',
    [
      ...(['scenario', 'input-tokens', 'output-tokens', 'prompts', 'dataset', 'mix', 'prefix', 'turns'] as const),
      ...(['think-s', 'images', 'tools', 'documents', 'replay', 'replay-speed', 'seed', 'salt'] as const),
    ],
  ],
  ['Capacity and precision', ['find', 'until', 'slo']],
  ['Comparison of two servers', ['against', 'against-facts', 'against-key-env']],
  [
    'Facts of the system',
    [
      ...(['gpu', 'gpu-count', 'gpu-power-limit-w', 'quantization', 'engine', 'engine-version'] as const),
      ...(['tensor-parallel', 'weights', 'unknown-facts'] as const),
    ],
  ],
  ['Readings during the load', ['metrics-url', 'metrics-hz', 'probe']],
  ['Threads', ['workers', 'realtime']],
  ['Output', ['out', 'records', 'report', 'json', 'save-bodies', 'resume', 'submit', 'submit-key-env']],
];

const columns = 100;

/** A text in lines of at most `width` characters; a longer word has its own line. */
function linesOf(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** All options by subject, in lines of at most 100 characters. */
export function describeOptions(): string {
  const indent = Math.max(...Object.keys(described).map((name) => name.length)) + 6;
  const describe = (name: OptionName) =>
    `  --${name}`.padEnd(indent) + linesOf(described[name], columns - indent).join(`\n${' '.repeat(indent)}`);
  return optionGroups.map(([title, names]) => [`${title}:`, ...names.map(describe)].join('\n')).join('\n\n');
}
