import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { gather } from './gather.ts';
import type { Queryable } from './transaction.ts';

const [db, other] = [{}, {}] as [Queryable, Queryable];

test('loads the keys of one turn together, each once, and those of the next turn again', async () => {
  const asked: [Queryable, readonly string[]][] = [];
  const find = gather(async (at, keys) => {
    asked.push([at, keys]);
    return new Map(keys.filter((key) => key !== 'unknown').map((key) => [key, `${key} ${asked.length}`]));
  });
  const first = ['a', 'b', 'a', 'unknown'].map((key) => find(db, key));
  const elsewhere = find(other, 'a');
  expect(await Promise.all(first)).toEqual(['a 1', 'b 1', 'a 1', null]);
  expect(await elsewhere).toBe('a 2');
  await nextTurn();
  expect(await find(db, 'a')).toBe('a 3');
  expect(asked).toEqual([
    [db, ['a', 'b', 'unknown']],
    [other, ['a']],
    [db, ['a']],
  ]);
});

test('gives an error to all waiting callers, but not to later ones', async () => {
  let isDown = true;
  const find = gather(async (_, keys) => {
    if (isDown) throw new Error('down');
    return new Map(keys.map((key) => [key, key]));
  });
  const outcomes = await Promise.allSettled([find(db, 'a'), find(db, 'b')]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  isDown = false;
  expect(await find(db, 'a')).toBe('a');
});
