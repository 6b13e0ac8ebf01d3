import { expect, test } from 'vitest';
import { rederivedFinding } from './re-derived.ts';

const pass = { id: 'red_1', release: '0.2.0' };

test('lists the first three changes, the number of others, and other changed fields', () => {
  const figures = ['a', 'b', 'c', 'd'].map((field, at) => ({ field, old: at === 0 ? null : at, new: at + 0.5 }));
  const { message, evidence, severity } = rederivedFinding(pass, [
    ...figures,
    { field: 'system', old: 'H100', new: 'H200' },
    { field: 'extra', old: {}, new: { x: 1 } },
  ]);
  expect(severity).toBe('info');
  expect(message).toBe(
    'Release 0.2.0 parsed the artifact again: a was missing and is 0.5, b was 1 and is 1.5, c was 2 and is 2.5, ' +
      '2 more figures changed, extra changed. The previous figures are kept.',
  );
  expect(evidence).toEqual({
    rederivation: 'red_1',
    release: '0.2.0',
    changed: { a: [null, 0.5], b: [1, 1.5], c: [2, 2.5], d: [3, 3.5], system: ['H100', 'H200'] },
    also_changed: ['extra'],
  });
});

test('formats one change as one sentence', () => {
  expect(rederivedFinding(pass, [{ field: 'status', old: 'accepted', new: 'quarantined' }]).message).toBe(
    'Release 0.2.0 parsed the artifact again: status was accepted and is quarantined. The previous figures are kept.',
  );
});
