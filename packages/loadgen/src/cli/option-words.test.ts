import { parseArgs } from 'node:util';
import { expect, test } from 'vitest';
import { optionWords } from './option-words.ts';
import { peerOptions } from './peer-options.ts';

const options = { gpu: { type: 'string' }, 'gpu-count': { type: 'string' }, json: { type: 'boolean' } } as const;

function wordsOf(args: string[], instead?: typeof peerOptions): string {
  try {
    parseArgs({ args, options });
  } catch (error) {
    return optionWords(error instanceof Error ? error.message : '', args, options, instead);
  }
  return '';
}

test.each([
  [['--gpux', 'a'], '--gpux is not an option. Closest: --gpu.'],
  [['--zzzzzzzz'], '--zzzzzzzz is not an option.'],
  [['-x'], '-x is not an option.'],
  [['-x32'], '-x is not an option.'],
  [['--gpu'], '--gpu requires a value.'],
  [['--gpu-count', '-1'], '--gpu-count requires a value. Write --gpu-count=VALUE if the value begins with a dash.'],
  [['extra'], "Unexpected argument 'extra'. This command does not take positional arguments."],
])('explains what is wrong with %j', (args, words) => {
  expect(wordsOf(args)).toBe(words);
});

test('names the option of an address without one', () => {
  const message = "Unexpected argument 'http://127.0.0.1:8000'. This command does not take positional arguments";
  const withUrl = { url: { type: 'string' } } as const;
  expect(optionWords(message, ['http://127.0.0.1:8000'], withUrl)).toBe('Write --url http://127.0.0.1:8000.');
  expect(optionWords(message.replace('http://', ''), ['127.0.0.1:8000'], withUrl)).toBe(
    'Write --url http://127.0.0.1:8000.',
  );
});

// A user of another client types its whole command line, and must not need one attempt for each option.
test('reports every unknown option at once, those of other clients with the option to use', () => {
  const args = [
    '--num-prompts',
    '100',
    '--gpu',
    'h100',
    '--request-rate=inf',
    '--zzzzzzzz',
    '--html',
    '-z',
    '30s',
    '--num-prompts',
    '1',
  ];
  expect(wordsOf(args, peerOptions).split('\n')).toEqual([
    '--num-prompts is not an option. Use --requests.',
    expect.stringMatching(/^--request-rate is not an option\. Use --rate\..* --burst N /),
    '--zzzzzzzz is not an option.',
    '--html is not an option. Use --report FILE.html.',
    expect.stringMatching(/^-z is not an option\. Use --duration-s\./),
  ]);
});
