import { expect, test } from 'vitest';
import type { Problem } from '../../../lib/api.ts';
import { suggestions } from './board-words.ts';

test('replaces words by the names in the hints, and removes the others', () => {
  const errors = [
    { code: 'word_unknown', message: '"deepsek" is not understood.', hint: 'Did you mean "deepseek r1"?' },
    { code: 'word_unknown', message: '"mi300" is not understood.', hint: 'Specify one, such as "mi300x".' },
    { code: 'word_unknown', message: '"flux" is not understood.', hint: 'Try a question like "best model".' },
  ];
  const [first] = suggestions('deepsek on mi300 flux', { errors } as unknown as Problem); // only the errors are read
  expect(first?.text).toBe('deepseek r1 on mi300x');
});
