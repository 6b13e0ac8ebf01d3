import { expect, test } from 'vitest';
import { withOptions } from './fact-options.ts';

const parameters = ['model', 'gpu', 'gpu_count', 'load_mode', 'load_level'];

test.each([
  [
    'model=tiny was given, but the artifact has "a". Omit model to use it.',
    '--model tiny was given, but the artifact has "a". Omit --model to use it.',
  ],
  [
    'Pass gpu_count: 3 or more. With gpu_count=1, it is held.',
    'Pass --gpu-count: 3 or more. With --gpu-count 1, it is held.',
  ],
  ['gpu_count must be at least 1', '--gpu-count must be at least 1'],
  [
    'load_mode and load_level must be given together. For example, load_mode=concurrency&load_level=32.',
    '--load-mode and --load-level must be given together. For example, --load-mode concurrency --load-level 32.',
  ],
  ['State the model, for example model=m.', 'State the model, for example --model m.'],
  ['The name of another_model=x stays.', 'The name of another_model=x stays.'],
])('writes the parameters in "%s" as options', (text, words) => {
  expect(withOptions(text, parameters)).toBe(words);
});
