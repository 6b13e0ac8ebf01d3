import { expect, test } from 'vitest';
import { LargeMap } from './columns.ts';

test('a large map keeps what any map keeps', () => {
  const [large, plain] = [new LargeMap(), new Map<number, number>()];
  let seed = 1;
  for (let turn = 0; turn < 20_000; turn += 1) {
    seed = (seed * 48271) % 2147483647;
    const key = seed % 5000;
    if (seed % 7 === 0) {
      large.delete(key);
      plain.delete(key);
    } else {
      large.set(key, turn);
      plain.set(key, turn);
    }
  }
  const keys = Array.from({ length: 5000 }, (_, key) => key);
  expect(keys.map((key) => large.get(key))).toEqual(keys.map((key) => plain.get(key)));
});
