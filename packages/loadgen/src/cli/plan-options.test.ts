import { expect, test } from 'vitest';
import { readOptions } from './options.ts';
import { OptionsError } from './options-error.ts';
import { peerOptions } from './peer-options.ts';
import { describeOptions } from './words/described-options.ts';

function faultsOf(...args: string[]): string {
  try {
    readOptions(['--url', 'http://127.0.0.1:9', ...args]);
  } catch (error) {
    if (error instanceof OptionsError) return error.message;
    throw error;
  }
  return '';
}

test.each([
  ['--concurency', '--concurency is not an option. Closest: --concurrency. Run with --help for all options.'],
  ['--zzzzzzzz', '--zzzzzzzz is not an option. Run with --help for all options.'],
])('names the closest option to %s', (option, message) => {
  expect(faultsOf(option, '3')).toBe(message);
});

// With one of the values, the command would measure a part of what was asked.
test('rejects an option that is given twice, unless it may be repeated', () => {
  const twice = ['--header', 'a: b', '--header', 'c: d', '--json', '--json', '--concurrency', '1', '--concurrency=2'];
  expect(faultsOf(...twice.slice(0, -1))).toBe('');
  expect(faultsOf(...twice, '--out', 'a', '--out', 'b', '--workers', '0').split('\n')).toEqual([
    '--concurrency is given more than once. Separate its levels with commas.',
    '--out is given more than once. Give one value.',
    '--workers must be a whole number from 1 to 64, not "0"',
  ]);
});

test('options of a resumed measurement may be given again', () => {
  const earlier = ['--url', 'http://127.0.0.1:9', '--submit', 'http://127.0.0.1:8'];
  const again = ['--submit', 'http://127.0.0.1:7'];
  expect(readOptions([...earlier, ...again], ['--resume', 'file.jsonl', ...again]).submit).toBe('http://127.0.0.1:7');
});

test('accepts the path of an endpoint', () => {
  const { endpoint } = readOptions(['--url', 'http://127.0.0.1:9', '--endpoint', '/v1/completions']);
  expect(endpoint).toBe('completions');
});

test('advises only options that exist', () => {
  const known = new Set(describeOptions().match(/(?<=^ {2}--)[a-z-]+/gm));
  expect([...peerOptions.keys()].filter((name) => known.has(name))).toEqual([]);
  const advised = [...peerOptions.values()].flatMap((text) => text.match(/(?<=--)[a-z-]+/g) ?? []);
  expect(advised.filter((name) => !known.has(name))).toEqual([]);
});

// The command would ignore them.
test.each([
  [['--unknown-facts', 'drop'], '--unknown-facts must be keep, not "drop"'],
  [['--metrics-hz', '5'], '--metrics-hz needs --metrics-url'],
  [['--submit-key-env', 'KEY'], '--submit-key-env needs --submit'],
])('rejects %j, which has no effect', (args, message) => {
  expect(faultsOf(...args)).toBe(message);
});

test('names an option without its value', () => {
  expect(faultsOf('--turns')).toBe('--turns requires a value. Run with --help for all options.');
});

test.each(['requests', 'gpu-count', 'tensor-parallel'])('--%s is a whole number', (option) => {
  for (const value of ['0', '1.5', '-2', 'x', ''])
    expect(faultsOf(`--${option}=${value}`)).toBe(
      `--${option} must be a whole number from 1 to 1000000, not "${value}"`,
    );
});

// Fields of a plan are unknown to a user of the command, who has options.
test.each([
  [['--concurrency', 'abc'], '--concurrency must be a number above 0 and at most 10000, not "abc".'],
  [['--concurrency', '1,0'], '--concurrency must be a number above 0 and at most 10000, not "0".'],
  [['--concurrency', '1', '--rate', '2,x'], '--rate must be a number above 0 and at most 10000, not "x".'],
  [['--concurrency', '2,2'], '--concurrency has a level more than once. Use --repetitions instead.'],
  [
    ['--concurrency', '8', '--requests', '4'],
    '--requests must be at least 8, one for each user, not "4". Raise it, or lower the level.',
  ],
  [
    ['--plan', 'capacity'],
    'The plan capacity is for managed runs. Use --find with the limits, such as --find "ttft_p99<2000,tpot_p99<50".',
  ],
  [['--plan', 'sweep'], '--plan must be one of inference-report, serving-grid, batch-grid, not "sweep".'],
  [['--rate', 'inf'], '--rate must be finite. To send all requests at once, use --burst N with their number'],
])('names the option of a wrong plan: %j', (args, message) => {
  expect(faultsOf(...args)).toBe(message);
});

test.each([
  [['--warmup', 'x'], /^--warmup must be .*, not "x"\.$/],
  [
    ['--input-tokens', '8', '--output-tokens', '0'],
    /^The workload has no output tokens, .*State --input-tokens and --output-tokens/,
  ],
  [['--scenario', 'chatbt'], /chatbot/],
  [['--plan', 'batch-gird'], /^--plan must be .*Did you mean "batch-grid"\?$/],
  [['--repetitions', '1000'], /^--repetitions must be .*, not "1000"\.$/],
  [['--duration-s', '0'], /^--duration-s must be .*, not "0"\.$/],
])('and has no JSON pointer: %j', (args, message) => {
  const faults = faultsOf(...args);
  expect(faults).toMatch(message);
  expect(faults).not.toMatch(/(?:^|\s)\/\w/);
});

// An option without effect would measure another load than the user states.
test.each([
  [['--plan', 'batch-grid', '--concurrency', '4'], '--plan defines what is sent. Omit --concurrency'],
  [['--plan', 'batch-grid', '--requests', '7'], '--plan defines what is sent. Omit --requests'],
  [
    ['--plan', 'batch-grid', '--scenario', 'chatbot', '--rate', '1'],
    '--plan defines what is sent. Omit --scenario and --rate',
  ],
  [['--burst', '4', '--requests', '8'], '--burst states how many requests are sent at once. Omit --requests'],
])('rejects options that others replace: %j', (args, message) => {
  expect(faultsOf(...args)).toBe(message);
});

test('accepts the requests of other loads next to a burst', () => {
  expect(faultsOf('--concurrency', '2', '--burst', '4', '--requests', '16')).toBe('');
  expect(faultsOf('--burst', '4', '--requests', '4')).toBe('');
});
