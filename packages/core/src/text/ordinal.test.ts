import { expect, test } from 'vitest';
import { formatOrdinal } from './ordinal.ts';

test.each([
  [1, '1st'],
  [2, '2nd'],
  [3, '3rd'],
  [4, '4th'],
  [11, '11th'],
  [13, '13th'],
  [21, '21st'],
  [112, '112th'],
  [1203, '1,203rd'],
])('formats %d as %s', (place, text) => expect(formatOrdinal(place)).toBe(text));
