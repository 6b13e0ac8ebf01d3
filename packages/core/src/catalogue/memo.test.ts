import { expect, test } from 'vitest';
import { memoize } from './memo.ts';
import { findModel, resolveModel } from './models.ts';
import { resolveQuantization } from './quantizations.ts';

test('computes a value once per text', () => {
  let calls = 0;
  const length = memoize(
    (text: string) => {
      calls++;
      return { length: text.length };
    },
    (text) => text,
  );
  expect([length('a'), length('a'), length('bb')]).toEqual([{ length: 1 }, { length: 1 }, { length: 2 }]);
  expect(calls).toBe(2);
});

test('limits the number of entries and the length of keys', () => {
  let calls = 0;
  const count = memoize(
    (_text: string) => ({ calls: ++calls }),
    (text: string) => text,
  );
  for (let i = 0; i < 1000; i++) count(`${i}`);
  expect(count('0')).toEqual({ calls: 1 });
  count('one more');
  expect(count('0')).toEqual({ calls: 1002 });
  const long = 'x'.repeat(10_000);
  expect(count(long)).not.toBe(count(long));
});

// A caller that modified a shared value would change it for later submissions.
test('freezes returned values', () => {
  const match = resolveModel('Lama-3.1-8B');
  expect(match.suggestions.length).toBeGreaterThan(0);
  expect(() => match.suggestions.push('x')).toThrow();
});

test('includes the model in the cache key', () => {
  const model = findModel('llama-3.1-8b');
  expect(resolveQuantization('original').id).toBeNull();
  expect(resolveQuantization('original', model).id).toBe(model?.nativePrecision);
  expect(resolveQuantization('original').id).toBeNull();
});
