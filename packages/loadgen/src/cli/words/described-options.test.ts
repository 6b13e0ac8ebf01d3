import { expect, test } from 'vitest';
import { described, describeOptions, optionGroups } from './described-options.ts';

test('the help has every option once', () => {
  const names = optionGroups.flatMap(([, of]) => of);
  expect(names.toSorted()).toEqual(Object.keys(described).toSorted());
});

test('the help fits 100 columns', () => {
  const lines = describeOptions().split('\n');
  expect(lines.filter((line) => line.length > 100)).toEqual([]);
  // Nothing is lost where lines are wrapped.
  const words = lines.join(' ').replace(/\s+/g, ' ');
  for (const what of Object.values(described)) expect(words).toContain(what);
});
