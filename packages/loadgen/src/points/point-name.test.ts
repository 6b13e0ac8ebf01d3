import { expect, test } from 'vitest';
import { listPoints } from './point-name.ts';

test('lists a few names, and counts the others of a long plan', () => {
  const names = Array.from({ length: 169 }, (_, at) => `point ${at}`);
  expect(listPoints(names.slice(0, 6))).toBe('point 0; point 1; point 2; point 3; point 4; point 5');
  expect(listPoints(names)).toBe('point 0; point 1; point 2; point 3; point 4; 164 more points');
});
