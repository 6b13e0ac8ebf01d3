import { expect, test } from 'vitest';
import { toVerdict } from './submission-verdict.ts';

const submission = (kind: string) =>
  ({
    status: 'accepted',
    retraction: null,
    results: [
      {
        ...{ kind, status: 'accepted', copy_of: null, findings: [] },
        system: { model: { name: 'llama-3.2-1b' }, gpu: { name: 'h100' }, quantization: { name: 'bf16' } },
      },
    ],
  }) as unknown as Parameters<typeof toVerdict>[0]; // only the fields that the verdict depends on

test('a training result ranks only with training results', () => {
  expect(toVerdict(submission('serving')).text).toBe('1 result ranks on the boards.');
  const { title, text } = toVerdict(submission('training'));
  expect(title).toBe('Accepted');
  expect(text).toMatch(/^1 result ranks only with other training results/);
});
