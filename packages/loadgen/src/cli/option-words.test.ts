import { parseArgs } from 'node:util';
import { expect, test } from 'vitest';
import { optionWords } from './option-words.ts';

function wordsOf(...args: string[]): string {
  const options = { gpu: { type: 'string' }, 'gpu-count': { type: 'string' }, json: { type: 'boolean' } } as const;
  try {
    parseArgs({ args, options });
  } catch (error) {
    return optionWords(error instanceof Error ? error.message : '', Object.keys(options));
  }
  return '';
}

test.each([
  [['--gpux', 'a'], '--gpux is not an option. Closest: --gpu.'],
  [['--zzzzzzzz'], '--zzzzzzzz is not an option.'],
  [['-x'], '-x is not an option.'],
  [['--gpu'], '--gpu requires a value.'],
  [['--gpu-count', '-1'], '--gpu-count requires a value. Write --gpu-count=VALUE if the value begins with a dash.'],
  [['extra'], "Unexpected argument 'extra'. This command does not take positional arguments."],
])('explains what is wrong with %j', (args, words) => {
  expect(wordsOf(...args)).toBe(words);
});
